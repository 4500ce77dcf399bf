#include "simt/exec/programs/launch_shape.h"

namespace gantry::simt::exec {

Geometry geometry_of(const LaunchShape& shape) {
  const std::uint32_t width = shape.block[0];
  if (width % kLanes == 0 || (shape.block[1] == 1 && shape.block[2] == 1)) {
    return Geometry::kLinear;
  }
  for (const Geometry rows :
       {Geometry::kRowsOf16, Geometry::kRowsOf8, Geometry::kRowsOf4, Geometry::kRowsOf2}) {
    // No warp may reach from one plane into the next.
    if (width == row_width(rows) && (shape.block[2] == 1 || width * shape.block[1] % kLanes == 0)) {
      return rows;
    }
  }
  return Geometry::kGeneral;
}

} // namespace gantry::simt::exec
