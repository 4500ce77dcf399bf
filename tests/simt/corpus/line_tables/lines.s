	.text
	.globl	f
	.p2align	8
	.type	f,@function
f:
	.file	1 "folder" "lines.c"
	.file	2 "folder" "other.h"
	.loc	1 10 3
	s_nop	0
	.loc	1 12 5
	s_nop	1
	s_mov_b32	s4, 0x12345678
	.loc	2 7 1
	s_nop	2
	.loc	1 0 0
	s_nop	3
	.loc	1 500 2
	s_nop	4
	.loc	1 11 2
	s_endpgm
.Lend:
	.size	f, .Lend-f
	.p2align	8
	.type	g,@function
g:
	.loc	1 0 0
	s_nop	5
	.loc	1 30 1
	s_endpgm
.Lend_g:
	.size	g, .Lend_g-g
