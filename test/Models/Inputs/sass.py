"""Counts instructions of a disassembly that is written here: sass.py FOLDER, where bench/gpu/sass.py is."""
import sys

sys.path.insert(0, sys.argv[1])
import sass

LINES = """
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   LDG.E.CONSTANT R7, desc[UR10][R4.64] ;
.L_x_0:
        /*0020*/                   LDG.E.128 R8, desc[UR10][R4.64] ;
        /*0030*/                   FADD R8, R8, R7 ;
        /*0040*/              @!P3 STG.E.U16 desc[UR10][R2.64+0x18000], R8 ;
        /*0050*/               @P0 BRA `(.L_x_0) ;
        /*0060*/               @P1 BRA `(.L_x_1) ;
        /*0070*/                   STG.E.64 desc[UR10][R2.64], R8 ;
.L_x_1:
        /*0080*/                   EXIT ;
.L_x_2:
        /*0090*/                   LDG.E.128 R8, desc[UR10][R4.64] ;
        /*00a0*/                   BRA `(.L_x_2) ;
""".splitlines()

code = sass.read_code(LINES)
# LDC, LDG of 4, BRA forward, STG of 8, EXIT; and in the loop 16 + 2 bytes. What is behind EXIT is no part of it.
assert code == sass.Code(instructions=5, bytes=12, looped_instructions=4, looped_bytes=18), code
# 64 threads of 12 + 10 * 18 bytes each: 2 warps of 5 + 10 * 4 instructions.
assert sass.count_warp_instructions([(64, code)], 64 * (12 + 10 * 18)) == 2 * 45
# A second stage reads what the first one left, which the bytes of the kernel do not say: its loop is not run.
assert sass.count_warp_instructions([(64, code), (32, code)], 64 * (12 + 10 * 18)) == 2 * 45 + 5
print("counted")
