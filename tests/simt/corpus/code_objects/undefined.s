// Addresses of what is defined elsewhere.
  .data
  .globl here
  .type here,@object
  .p2align 3
here:
  .quad elsewhere + 4
  .weak perhaps
  .quad perhaps
  .size here, 16
