/* The CUDA driver API's graphs and stream capture: the types of its ABI, and their entry points. A
 * part of gantry/cuda_driver.h, which says where they are from.
 *
 * Common to all: a graph, a node or an executable graph that the driver does not know is
 * CUDA_ERROR_INVALID_VALUE.
 */
#ifndef GANTRY_CUDA_GRAPH_H
#define GANTRY_CUDA_GRAPH_H

#ifndef GANTRY_CUDA_DRIVER_H
#error "include gantry/cuda_driver.h"
#endif

typedef struct CUgraph_st* CUgraph;
typedef struct CUgraphNode_st* CUgraphNode;
typedef struct CUgraphExec_st* CUgraphExec;
typedef struct CUuserObject_st* CUuserObject;
typedef unsigned long long CUgraphConditionalHandle;

/** Parameters of a kernel as the first version has them, which names it by `func` alone. */
typedef struct CUDA_KERNEL_NODE_PARAMS_v1 {
  CUfunction func;
  unsigned int gridDimX, gridDimY, gridDimZ;
  unsigned int blockDimX, blockDimY, blockDimZ;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;
} CUDA_KERNEL_NODE_PARAMS_v1;

typedef struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction func; /**< or null, and then `kern` */
  unsigned int gridDimX, gridDimY, gridDimZ;
  unsigned int blockDimX, blockDimY, blockDimZ;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;
  CUkernel kern;
  CUcontext ctx; /**< of `kern`; null: the current one */
} CUDA_KERNEL_NODE_PARAMS;

typedef struct CUDA_MEMSET_NODE_PARAMS {
  CUdeviceptr dst;
  size_t pitch;
  unsigned int value;
  unsigned int elementSize;
  size_t width, height; /**< elements of a row, rows */
} CUDA_MEMSET_NODE_PARAMS;

typedef struct CUDA_MEMSET_NODE_PARAMS_v2 {
  CUdeviceptr dst;
  size_t pitch;
  unsigned int value;
  unsigned int elementSize;
  size_t width, height;
  CUcontext ctx;
} CUDA_MEMSET_NODE_PARAMS_v2;

typedef struct CUDA_HOST_NODE_PARAMS {
  CUhostFn fn;
  void* userData;
} CUDA_HOST_NODE_PARAMS;

typedef struct CUDA_MEMCPY_NODE_PARAMS {
  int flags, reserved; /**< 0 */
  CUcontext copyCtx;
  CUDA_MEMCPY3D copyParams;
} CUDA_MEMCPY_NODE_PARAMS;

typedef struct CUDA_CHILD_GRAPH_NODE_PARAMS {
  CUgraph graph;
  CUgraphChildGraphNodeOwnership ownership;
} CUDA_CHILD_GRAPH_NODE_PARAMS;

typedef struct CUDA_EVENT_RECORD_NODE_PARAMS {
  CUevent event;
} CUDA_EVENT_RECORD_NODE_PARAMS;

typedef struct CUDA_EVENT_WAIT_NODE_PARAMS {
  CUevent event;
} CUDA_EVENT_WAIT_NODE_PARAMS;

typedef struct CUDA_MEM_ALLOC_NODE_PARAMS {
  CUmemPoolProps poolProps;
  const CUmemAccessDesc* accessDescs;
  size_t accessDescCount;
  size_t bytesize;
  CUdeviceptr dptr; /**< written by the driver: the address that the allocation will have */
} CUDA_MEM_ALLOC_NODE_PARAMS;

typedef struct CUDA_MEM_FREE_NODE_PARAMS {
  CUdeviceptr dptr;
} CUDA_MEM_FREE_NODE_PARAMS;

/** For all types of nodes. */
typedef struct CUgraphNodeParams {
  CUgraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    CUDA_KERNEL_NODE_PARAMS kernel;
    CUDA_MEMCPY_NODE_PARAMS memcpy;
    CUDA_MEMSET_NODE_PARAMS_v2 memset;
    CUDA_HOST_NODE_PARAMS host;
    CUDA_CHILD_GRAPH_NODE_PARAMS graph;
    CUDA_EVENT_WAIT_NODE_PARAMS eventWait;
    CUDA_EVENT_RECORD_NODE_PARAMS eventRecord;
    CUDA_MEM_ALLOC_NODE_PARAMS alloc;
    CUDA_MEM_FREE_NODE_PARAMS free;
  };
  long long reserved2;
} CUgraphNodeParams;

/** What an edge is beyond "after": all of it 0 for an ordinary one. */
typedef struct CUgraphEdgeData {
  unsigned char from_port; /**< CU_GRAPH_KERNEL_NODE_PORT_… */
  unsigned char to_port;
  unsigned char type; /**< CUgraphDependencyType */
  unsigned char reserved[5];
} CUgraphEdgeData;

typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS {
  unsigned long long flags;
  CUstream hUploadStream;
  CUgraphNode hErrNode_out;
  CUgraphInstantiateResult result_out;
} CUDA_GRAPH_INSTANTIATE_PARAMS;

typedef struct CUgraphExecUpdateResultInfo {
  CUgraphExecUpdateResult result;
  CUgraphNode errorNode;
  CUgraphNode errorFromNode; /**< where an edge is what differs: the node that it comes from */
} CUgraphExecUpdateResultInfo;

/* clang-format off: one row an entry. */
/** The part of GANTRY_CUDA_ENTRIES that is about graphs. */
#define GANTRY_CUDA_GRAPH_ENTRIES(GANTRY_CUDA_ENTRY)                                               \
  /* graphs */                                                                                     \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphCreate, (CUgraph * graph, unsigned int flags))                \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphDestroy, (CUgraph graph))                                     \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphClone, (CUgraph * clone, CUgraph original))                   \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphNodeFindInClone,                                              \
                    (CUgraphNode * node, CUgraphNode original, CUgraph clone))                     \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphGetNodes,                                                     \
                    (CUgraph graph, CUgraphNode * nodes, size_t* count))                           \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphGetRootNodes,                                                 \
                    (CUgraph graph, CUgraphNode * nodes, size_t* count))                           \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphGetEdges,                                                     \
                    (CUgraph graph, CUgraphNode * from, CUgraphNode * to, size_t* count))          \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphGetEdges_v2,                                                  \
                    (CUgraph graph, CUgraphNode * from, CUgraphNode * to, CUgraphEdgeData * data,  \
                     size_t* count))                                                               \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphAddDependencies,                                              \
                    (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count)) \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphAddDependencies_v2,                                           \
                    (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,                \
                     const CUgraphEdgeData* data, size_t count))                                   \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphRemoveDependencies,                                           \
                    (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count)) \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphRemoveDependencies_v2,                                        \
                    (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,                \
                     const CUgraphEdgeData* data, size_t count))                                   \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphDebugDotPrint,                                                \
                    (CUgraph graph, const char* path, unsigned int flags))                         \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphRetainUserObject,                                             \
                    (CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags))  \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphReleaseUserObject,                                            \
                    (CUgraph graph, CUuserObject object, unsigned int count))                      \
  GANTRY_CUDA_ENTRY(CUresult, cuUserObjectCreate,                                                  \
                    (CUuserObject * object, void* data, CUhostFn destroy, unsigned int count,      \
                     unsigned int flags))                                                          \
  GANTRY_CUDA_ENTRY(CUresult, cuUserObjectRetain, (CUuserObject object, unsigned int count))       \
  GANTRY_CUDA_ENTRY(CUresult, cuUserObjectRelease, (CUuserObject object, unsigned int count))      \
  /* nodes */                                                                                      \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphAddNode,                                                      \
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies,           \
                     size_t count, CUgraphNodeParams* parameters))                                 \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphAddNode_v2,                                                   \
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies,           \
                     const CUgraphEdgeData* data, size_t count, CUgraphNodeParams* parameters))    \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphAddKernelNode,                                                \
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies,           \
                     size_t count, const CUDA_KERNEL_NODE_PARAMS_v1* parameters))                  \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphAddKernelNode_v2,                                             \
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies,           \
                     size_t count, const CUDA_KERNEL_NODE_PARAMS* parameters))                     \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphAddMemcpyNode,                                                \
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies,           \
                     size_t count, const CUDA_MEMCPY3D* parameters, CUcontext context))            \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphAddMemsetNode,                                                \
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies,           \
                     size_t count, const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext context))  \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphAddHostNode,                                                  \
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies,           \
                     size_t count, const CUDA_HOST_NODE_PARAMS* parameters))                       \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphAddChildGraphNode,                                            \
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies,           \
                     size_t count, CUgraph child))                                                 \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuGraphAddEmptyNode,                                                               \
      (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies, size_t count))          \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphAddEventRecordNode,                                           \
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies,           \
                     size_t count, CUevent event))                                                 \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphAddEventWaitNode,                                             \
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies,           \
                     size_t count, CUevent event))                                                 \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphAddMemAllocNode,                                              \
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies,           \
                     size_t count, CUDA_MEM_ALLOC_NODE_PARAMS* parameters))                        \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphAddMemFreeNode,                                               \
                    (CUgraphNode * node, CUgraph graph, const CUgraphNode* dependencies,           \
                     size_t count, CUdeviceptr address))                                           \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphDestroyNode, (CUgraphNode node))                              \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphNodeGetType, (CUgraphNode node, CUgraphNodeType * type))      \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphNodeGetDependencies,                                          \
                    (CUgraphNode node, CUgraphNode * dependencies, size_t* count))                 \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuGraphNodeGetDependencies_v2,                                                     \
      (CUgraphNode node, CUgraphNode * dependencies, CUgraphEdgeData * data, size_t* count))       \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphNodeGetDependentNodes,                                        \
                    (CUgraphNode node, CUgraphNode * dependents, size_t* count))                   \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuGraphNodeGetDependentNodes_v2,                                                   \
      (CUgraphNode node, CUgraphNode * dependents, CUgraphEdgeData * data, size_t* count))         \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphNodeSetParams,                                                \
                    (CUgraphNode node, CUgraphNodeParams * parameters))                            \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphKernelNodeGetParams,                                          \
                    (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 * parameters))                   \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphKernelNodeGetParams_v2,                                       \
                    (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS * parameters))                      \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphKernelNodeSetParams,                                          \
                    (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* parameters))              \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphKernelNodeSetParams_v2,                                       \
                    (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* parameters))                 \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphKernelNodeCopyAttributes, (CUgraphNode to, CUgraphNode from)) \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuGraphKernelNodeGetAttribute,                                                     \
      (CUgraphNode node, CUlaunchAttributeID attribute, CUlaunchAttributeValue * value))           \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuGraphKernelNodeSetAttribute,                                                     \
      (CUgraphNode node, CUlaunchAttributeID attribute, const CUlaunchAttributeValue* value))      \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphMemcpyNodeGetParams,                                          \
                    (CUgraphNode node, CUDA_MEMCPY3D * parameters))                                \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphMemcpyNodeSetParams,                                          \
                    (CUgraphNode node, const CUDA_MEMCPY3D* parameters))                           \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphMemsetNodeGetParams,                                          \
                    (CUgraphNode node, CUDA_MEMSET_NODE_PARAMS * parameters))                      \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphMemsetNodeSetParams,                                          \
                    (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* parameters))                 \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphHostNodeGetParams,                                            \
                    (CUgraphNode node, CUDA_HOST_NODE_PARAMS * parameters))                        \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphHostNodeSetParams,                                            \
                    (CUgraphNode node, const CUDA_HOST_NODE_PARAMS* parameters))                   \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphChildGraphNodeGetGraph, (CUgraphNode node, CUgraph * child))  \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphEventRecordNodeGetEvent, (CUgraphNode node, CUevent * event)) \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphEventRecordNodeSetEvent, (CUgraphNode node, CUevent event))   \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphEventWaitNodeGetEvent, (CUgraphNode node, CUevent * event))   \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphEventWaitNodeSetEvent, (CUgraphNode node, CUevent event))     \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphMemAllocNodeGetParams,                                        \
                    (CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS * parameters))                   \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphMemFreeNodeGetParams,                                         \
                    (CUgraphNode node, CUdeviceptr * address))                                     \
  /* executable graphs */                                                                          \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphInstantiate,                                                  \
                    (CUgraphExec * executable, CUgraph graph, CUgraphNode * error_node, char* log, \
                     size_t log_size))                                                             \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphInstantiate_v2,                                               \
                    (CUgraphExec * executable, CUgraph graph, CUgraphNode * error_node, char* log, \
                     size_t log_size))                                                             \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphInstantiateWithFlags,                                         \
                    (CUgraphExec * executable, CUgraph graph, unsigned long long flags))           \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuGraphInstantiateWithParams,                                                      \
      (CUgraphExec * executable, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS * parameters))       \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphExecGetFlags, (CUgraphExec executable, uint64_t* flags))      \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphExecDestroy, (CUgraphExec executable))                        \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphUpload, (CUgraphExec executable, CUstream stream))            \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphLaunch, (CUgraphExec executable, CUstream stream))            \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphExecUpdate,                                                   \
                    (CUgraphExec executable, CUgraph graph, CUgraphNode * error_node,              \
                     CUgraphExecUpdateResult * result))                                            \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphExecUpdate_v2,                                                \
                    (CUgraphExec executable, CUgraph graph, CUgraphExecUpdateResultInfo * info))   \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphExecNodeSetParams,                                            \
                    (CUgraphExec executable, CUgraphNode node, CUgraphNodeParams * parameters))    \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuGraphExecKernelNodeSetParams,                                                    \
      (CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* parameters))    \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuGraphExecKernelNodeSetParams_v2,                                                 \
      (CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* parameters))       \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphExecMemcpyNodeSetParams,                                      \
                    (CUgraphExec executable, CUgraphNode node, const CUDA_MEMCPY3D* parameters,    \
                     CUcontext context))                                                           \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphExecMemsetNodeSetParams,                                      \
                    (CUgraphExec executable, CUgraphNode node,                                     \
                     const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext context))                \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuGraphExecHostNodeSetParams,                                                      \
      (CUgraphExec executable, CUgraphNode node, const CUDA_HOST_NODE_PARAMS* parameters))         \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphExecChildGraphNodeSetParams,                                  \
                    (CUgraphExec executable, CUgraphNode node, CUgraph child))                     \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphExecEventRecordNodeSetEvent,                                  \
                    (CUgraphExec executable, CUgraphNode node, CUevent event))                     \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphExecEventWaitNodeSetEvent,                                    \
                    (CUgraphExec executable, CUgraphNode node, CUevent event))                     \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphNodeSetEnabled,                                               \
                    (CUgraphExec executable, CUgraphNode node, unsigned int enabled))              \
  GANTRY_CUDA_ENTRY(CUresult, cuGraphNodeGetEnabled,                                               \
                    (CUgraphExec executable, CUgraphNode node, unsigned int* enabled))             \
  /* memory of graphs */                                                                           \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceGetGraphMemAttribute,                                        \
                    (CUdevice device, CUgraphMem_attribute attribute, void* value))                \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceSetGraphMemAttribute,                                        \
                    (CUdevice device, CUgraphMem_attribute attribute, void* value))                \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceGraphMemTrim, (CUdevice device))                             \
  /* stream capture */                                                                             \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamBeginCapture, (CUstream stream))                             \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamBeginCapture_v2,                                             \
                    (CUstream stream, CUstreamCaptureMode mode))                                   \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamBeginCaptureToGraph,                                         \
                    (CUstream stream, CUgraph graph, const CUgraphNode* dependencies,              \
                     const CUgraphEdgeData* data, size_t count, CUstreamCaptureMode mode))         \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamEndCapture, (CUstream stream, CUgraph * graph))              \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamIsCapturing,                                                 \
                    (CUstream stream, CUstreamCaptureStatus * status))                             \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamGetCaptureInfo,                                              \
                    (CUstream stream, CUstreamCaptureStatus * status, uint64_t* id))               \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamGetCaptureInfo_v2,                                           \
                    (CUstream stream, CUstreamCaptureStatus * status, uint64_t* id,                \
                     CUgraph* graph, const CUgraphNode** dependencies, size_t* count))             \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamGetCaptureInfo_v3,                                           \
                    (CUstream stream, CUstreamCaptureStatus * status, uint64_t* id,                \
                     CUgraph* graph, const CUgraphNode** dependencies,                             \
                     const CUgraphEdgeData** data, size_t* count))                                 \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuStreamUpdateCaptureDependencies,                                                 \
      (CUstream stream, CUgraphNode * dependencies, size_t count, unsigned int flags))             \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamUpdateCaptureDependencies_v2,                                \
                    (CUstream stream, CUgraphNode * dependencies, const CUgraphEdgeData* data,     \
                     size_t count, unsigned int flags))                                            \
  GANTRY_CUDA_ENTRY(CUresult, cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode))
/* clang-format on */

#endif
