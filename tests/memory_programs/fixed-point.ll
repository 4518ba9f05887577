; Fixed-point products and quotients, and products without carries, in many widths; fixed-point-main.c calls them.
%row = type { ptr, i32, i32, i32, i32 }
@rows = constant [244 x %row] [
  %row { ptr @f0_5_0, i32 0, i32 5, i32 0, i32 0 },
  %row { ptr @f0_5_2, i32 0, i32 5, i32 2, i32 0 },
  %row { ptr @f0_5_4, i32 0, i32 5, i32 4, i32 0 },
  %row { ptr @f1_5_0, i32 1, i32 5, i32 0, i32 0 },
  %row { ptr @f1_5_2, i32 1, i32 5, i32 2, i32 0 },
  %row { ptr @f1_5_4, i32 1, i32 5, i32 4, i32 0 },
  %row { ptr @f1_5_5, i32 1, i32 5, i32 5, i32 0 },
  %row { ptr @f2_5_0, i32 2, i32 5, i32 0, i32 0 },
  %row { ptr @f2_5_2, i32 2, i32 5, i32 2, i32 0 },
  %row { ptr @f2_5_4, i32 2, i32 5, i32 4, i32 0 },
  %row { ptr @f3_5_0, i32 3, i32 5, i32 0, i32 0 },
  %row { ptr @f3_5_2, i32 3, i32 5, i32 2, i32 0 },
  %row { ptr @f3_5_4, i32 3, i32 5, i32 4, i32 0 },
  %row { ptr @f3_5_5, i32 3, i32 5, i32 5, i32 0 },
  %row { ptr @f4_5_0, i32 4, i32 5, i32 0, i32 0 },
  %row { ptr @f4_5_2, i32 4, i32 5, i32 2, i32 0 },
  %row { ptr @f4_5_4, i32 4, i32 5, i32 4, i32 0 },
  %row { ptr @f5_5_0, i32 5, i32 5, i32 0, i32 0 },
  %row { ptr @f5_5_2, i32 5, i32 5, i32 2, i32 0 },
  %row { ptr @f5_5_4, i32 5, i32 5, i32 4, i32 0 },
  %row { ptr @f5_5_5, i32 5, i32 5, i32 5, i32 0 },
  %row { ptr @f6_5_0, i32 6, i32 5, i32 0, i32 0 },
  %row { ptr @f6_5_2, i32 6, i32 5, i32 2, i32 0 },
  %row { ptr @f6_5_4, i32 6, i32 5, i32 4, i32 0 },
  %row { ptr @f7_5_0, i32 7, i32 5, i32 0, i32 0 },
  %row { ptr @f7_5_2, i32 7, i32 5, i32 2, i32 0 },
  %row { ptr @f7_5_4, i32 7, i32 5, i32 4, i32 0 },
  %row { ptr @f7_5_5, i32 7, i32 5, i32 5, i32 0 },
  %row { ptr @f8_5_0, i32 8, i32 5, i32 0, i32 0 },
  %row { ptr @f0_8_0, i32 0, i32 8, i32 0, i32 0 },
  %row { ptr @f0_8_4, i32 0, i32 8, i32 4, i32 0 },
  %row { ptr @f0_8_7, i32 0, i32 8, i32 7, i32 0 },
  %row { ptr @f1_8_0, i32 1, i32 8, i32 0, i32 0 },
  %row { ptr @f1_8_4, i32 1, i32 8, i32 4, i32 0 },
  %row { ptr @f1_8_7, i32 1, i32 8, i32 7, i32 0 },
  %row { ptr @f1_8_8, i32 1, i32 8, i32 8, i32 0 },
  %row { ptr @f2_8_0, i32 2, i32 8, i32 0, i32 0 },
  %row { ptr @f2_8_4, i32 2, i32 8, i32 4, i32 0 },
  %row { ptr @f2_8_7, i32 2, i32 8, i32 7, i32 0 },
  %row { ptr @f3_8_0, i32 3, i32 8, i32 0, i32 0 },
  %row { ptr @f3_8_4, i32 3, i32 8, i32 4, i32 0 },
  %row { ptr @f3_8_7, i32 3, i32 8, i32 7, i32 0 },
  %row { ptr @f3_8_8, i32 3, i32 8, i32 8, i32 0 },
  %row { ptr @f4_8_0, i32 4, i32 8, i32 0, i32 0 },
  %row { ptr @f4_8_4, i32 4, i32 8, i32 4, i32 0 },
  %row { ptr @f4_8_7, i32 4, i32 8, i32 7, i32 0 },
  %row { ptr @f5_8_0, i32 5, i32 8, i32 0, i32 0 },
  %row { ptr @f5_8_4, i32 5, i32 8, i32 4, i32 0 },
  %row { ptr @f5_8_7, i32 5, i32 8, i32 7, i32 0 },
  %row { ptr @f5_8_8, i32 5, i32 8, i32 8, i32 0 },
  %row { ptr @f6_8_0, i32 6, i32 8, i32 0, i32 0 },
  %row { ptr @f6_8_4, i32 6, i32 8, i32 4, i32 0 },
  %row { ptr @f6_8_7, i32 6, i32 8, i32 7, i32 0 },
  %row { ptr @f7_8_0, i32 7, i32 8, i32 0, i32 0 },
  %row { ptr @f7_8_4, i32 7, i32 8, i32 4, i32 0 },
  %row { ptr @f7_8_7, i32 7, i32 8, i32 7, i32 0 },
  %row { ptr @f7_8_8, i32 7, i32 8, i32 8, i32 0 },
  %row { ptr @f8_8_0, i32 8, i32 8, i32 0, i32 0 },
  %row { ptr @f0_16_0, i32 0, i32 16, i32 0, i32 0 },
  %row { ptr @f0_16_8, i32 0, i32 16, i32 8, i32 0 },
  %row { ptr @f0_16_15, i32 0, i32 16, i32 15, i32 0 },
  %row { ptr @f1_16_0, i32 1, i32 16, i32 0, i32 0 },
  %row { ptr @f1_16_8, i32 1, i32 16, i32 8, i32 0 },
  %row { ptr @f1_16_15, i32 1, i32 16, i32 15, i32 0 },
  %row { ptr @f1_16_16, i32 1, i32 16, i32 16, i32 0 },
  %row { ptr @f2_16_0, i32 2, i32 16, i32 0, i32 0 },
  %row { ptr @f2_16_8, i32 2, i32 16, i32 8, i32 0 },
  %row { ptr @f2_16_15, i32 2, i32 16, i32 15, i32 0 },
  %row { ptr @f3_16_0, i32 3, i32 16, i32 0, i32 0 },
  %row { ptr @f3_16_8, i32 3, i32 16, i32 8, i32 0 },
  %row { ptr @f3_16_15, i32 3, i32 16, i32 15, i32 0 },
  %row { ptr @f3_16_16, i32 3, i32 16, i32 16, i32 0 },
  %row { ptr @f4_16_0, i32 4, i32 16, i32 0, i32 0 },
  %row { ptr @f4_16_8, i32 4, i32 16, i32 8, i32 0 },
  %row { ptr @f4_16_15, i32 4, i32 16, i32 15, i32 0 },
  %row { ptr @f5_16_0, i32 5, i32 16, i32 0, i32 0 },
  %row { ptr @f5_16_8, i32 5, i32 16, i32 8, i32 0 },
  %row { ptr @f5_16_15, i32 5, i32 16, i32 15, i32 0 },
  %row { ptr @f5_16_16, i32 5, i32 16, i32 16, i32 0 },
  %row { ptr @f6_16_0, i32 6, i32 16, i32 0, i32 0 },
  %row { ptr @f6_16_8, i32 6, i32 16, i32 8, i32 0 },
  %row { ptr @f6_16_15, i32 6, i32 16, i32 15, i32 0 },
  %row { ptr @f7_16_0, i32 7, i32 16, i32 0, i32 0 },
  %row { ptr @f7_16_8, i32 7, i32 16, i32 8, i32 0 },
  %row { ptr @f7_16_15, i32 7, i32 16, i32 15, i32 0 },
  %row { ptr @f7_16_16, i32 7, i32 16, i32 16, i32 0 },
  %row { ptr @f8_16_0, i32 8, i32 16, i32 0, i32 0 },
  %row { ptr @f0_24_0, i32 0, i32 24, i32 0, i32 0 },
  %row { ptr @f0_24_12, i32 0, i32 24, i32 12, i32 0 },
  %row { ptr @f0_24_23, i32 0, i32 24, i32 23, i32 0 },
  %row { ptr @f1_24_0, i32 1, i32 24, i32 0, i32 0 },
  %row { ptr @f1_24_12, i32 1, i32 24, i32 12, i32 0 },
  %row { ptr @f1_24_23, i32 1, i32 24, i32 23, i32 0 },
  %row { ptr @f1_24_24, i32 1, i32 24, i32 24, i32 0 },
  %row { ptr @f2_24_0, i32 2, i32 24, i32 0, i32 0 },
  %row { ptr @f2_24_12, i32 2, i32 24, i32 12, i32 0 },
  %row { ptr @f2_24_23, i32 2, i32 24, i32 23, i32 0 },
  %row { ptr @f3_24_0, i32 3, i32 24, i32 0, i32 0 },
  %row { ptr @f3_24_12, i32 3, i32 24, i32 12, i32 0 },
  %row { ptr @f3_24_23, i32 3, i32 24, i32 23, i32 0 },
  %row { ptr @f3_24_24, i32 3, i32 24, i32 24, i32 0 },
  %row { ptr @f4_24_0, i32 4, i32 24, i32 0, i32 0 },
  %row { ptr @f4_24_12, i32 4, i32 24, i32 12, i32 0 },
  %row { ptr @f4_24_23, i32 4, i32 24, i32 23, i32 0 },
  %row { ptr @f5_24_0, i32 5, i32 24, i32 0, i32 0 },
  %row { ptr @f5_24_12, i32 5, i32 24, i32 12, i32 0 },
  %row { ptr @f5_24_23, i32 5, i32 24, i32 23, i32 0 },
  %row { ptr @f5_24_24, i32 5, i32 24, i32 24, i32 0 },
  %row { ptr @f6_24_0, i32 6, i32 24, i32 0, i32 0 },
  %row { ptr @f6_24_12, i32 6, i32 24, i32 12, i32 0 },
  %row { ptr @f6_24_23, i32 6, i32 24, i32 23, i32 0 },
  %row { ptr @f7_24_0, i32 7, i32 24, i32 0, i32 0 },
  %row { ptr @f7_24_12, i32 7, i32 24, i32 12, i32 0 },
  %row { ptr @f7_24_23, i32 7, i32 24, i32 23, i32 0 },
  %row { ptr @f7_24_24, i32 7, i32 24, i32 24, i32 0 },
  %row { ptr @f8_24_0, i32 8, i32 24, i32 0, i32 0 },
  %row { ptr @f0_32_0, i32 0, i32 32, i32 0, i32 0 },
  %row { ptr @f0_32_16, i32 0, i32 32, i32 16, i32 0 },
  %row { ptr @f0_32_31, i32 0, i32 32, i32 31, i32 0 },
  %row { ptr @f1_32_0, i32 1, i32 32, i32 0, i32 0 },
  %row { ptr @f1_32_16, i32 1, i32 32, i32 16, i32 0 },
  %row { ptr @f1_32_31, i32 1, i32 32, i32 31, i32 0 },
  %row { ptr @f1_32_32, i32 1, i32 32, i32 32, i32 0 },
  %row { ptr @f2_32_0, i32 2, i32 32, i32 0, i32 0 },
  %row { ptr @f2_32_16, i32 2, i32 32, i32 16, i32 0 },
  %row { ptr @f2_32_31, i32 2, i32 32, i32 31, i32 0 },
  %row { ptr @f3_32_0, i32 3, i32 32, i32 0, i32 0 },
  %row { ptr @f3_32_16, i32 3, i32 32, i32 16, i32 0 },
  %row { ptr @f3_32_31, i32 3, i32 32, i32 31, i32 0 },
  %row { ptr @f3_32_32, i32 3, i32 32, i32 32, i32 0 },
  %row { ptr @f4_32_0, i32 4, i32 32, i32 0, i32 0 },
  %row { ptr @f4_32_16, i32 4, i32 32, i32 16, i32 0 },
  %row { ptr @f4_32_31, i32 4, i32 32, i32 31, i32 0 },
  %row { ptr @f5_32_0, i32 5, i32 32, i32 0, i32 0 },
  %row { ptr @f5_32_16, i32 5, i32 32, i32 16, i32 0 },
  %row { ptr @f5_32_31, i32 5, i32 32, i32 31, i32 0 },
  %row { ptr @f5_32_32, i32 5, i32 32, i32 32, i32 0 },
  %row { ptr @f6_32_0, i32 6, i32 32, i32 0, i32 0 },
  %row { ptr @f6_32_16, i32 6, i32 32, i32 16, i32 0 },
  %row { ptr @f6_32_31, i32 6, i32 32, i32 31, i32 0 },
  %row { ptr @f7_32_0, i32 7, i32 32, i32 0, i32 0 },
  %row { ptr @f7_32_16, i32 7, i32 32, i32 16, i32 0 },
  %row { ptr @f7_32_31, i32 7, i32 32, i32 31, i32 0 },
  %row { ptr @f7_32_32, i32 7, i32 32, i32 32, i32 0 },
  %row { ptr @f8_32_0, i32 8, i32 32, i32 0, i32 0 },
  %row { ptr @f0_40_0, i32 0, i32 40, i32 0, i32 0 },
  %row { ptr @f0_40_20, i32 0, i32 40, i32 20, i32 0 },
  %row { ptr @f0_40_39, i32 0, i32 40, i32 39, i32 0 },
  %row { ptr @f1_40_0, i32 1, i32 40, i32 0, i32 0 },
  %row { ptr @f1_40_20, i32 1, i32 40, i32 20, i32 0 },
  %row { ptr @f1_40_39, i32 1, i32 40, i32 39, i32 0 },
  %row { ptr @f1_40_40, i32 1, i32 40, i32 40, i32 0 },
  %row { ptr @f2_40_0, i32 2, i32 40, i32 0, i32 0 },
  %row { ptr @f2_40_20, i32 2, i32 40, i32 20, i32 0 },
  %row { ptr @f2_40_39, i32 2, i32 40, i32 39, i32 0 },
  %row { ptr @f3_40_0, i32 3, i32 40, i32 0, i32 0 },
  %row { ptr @f3_40_20, i32 3, i32 40, i32 20, i32 0 },
  %row { ptr @f3_40_39, i32 3, i32 40, i32 39, i32 0 },
  %row { ptr @f3_40_40, i32 3, i32 40, i32 40, i32 0 },
  %row { ptr @f4_40_0, i32 4, i32 40, i32 0, i32 0 },
  %row { ptr @f4_40_20, i32 4, i32 40, i32 20, i32 0 },
  %row { ptr @f4_40_39, i32 4, i32 40, i32 39, i32 0 },
  %row { ptr @f5_40_0, i32 5, i32 40, i32 0, i32 0 },
  %row { ptr @f5_40_20, i32 5, i32 40, i32 20, i32 0 },
  %row { ptr @f5_40_39, i32 5, i32 40, i32 39, i32 0 },
  %row { ptr @f5_40_40, i32 5, i32 40, i32 40, i32 0 },
  %row { ptr @f6_40_0, i32 6, i32 40, i32 0, i32 0 },
  %row { ptr @f6_40_20, i32 6, i32 40, i32 20, i32 0 },
  %row { ptr @f6_40_39, i32 6, i32 40, i32 39, i32 0 },
  %row { ptr @f7_40_0, i32 7, i32 40, i32 0, i32 0 },
  %row { ptr @f7_40_20, i32 7, i32 40, i32 20, i32 0 },
  %row { ptr @f7_40_39, i32 7, i32 40, i32 39, i32 0 },
  %row { ptr @f7_40_40, i32 7, i32 40, i32 40, i32 0 },
  %row { ptr @f8_40_0, i32 8, i32 40, i32 0, i32 0 },
  %row { ptr @f0_63_0, i32 0, i32 63, i32 0, i32 0 },
  %row { ptr @f0_63_31, i32 0, i32 63, i32 31, i32 0 },
  %row { ptr @f0_63_62, i32 0, i32 63, i32 62, i32 0 },
  %row { ptr @f1_63_0, i32 1, i32 63, i32 0, i32 0 },
  %row { ptr @f1_63_31, i32 1, i32 63, i32 31, i32 0 },
  %row { ptr @f1_63_62, i32 1, i32 63, i32 62, i32 0 },
  %row { ptr @f1_63_63, i32 1, i32 63, i32 63, i32 0 },
  %row { ptr @f2_63_0, i32 2, i32 63, i32 0, i32 0 },
  %row { ptr @f2_63_31, i32 2, i32 63, i32 31, i32 0 },
  %row { ptr @f2_63_62, i32 2, i32 63, i32 62, i32 0 },
  %row { ptr @f3_63_0, i32 3, i32 63, i32 0, i32 0 },
  %row { ptr @f3_63_31, i32 3, i32 63, i32 31, i32 0 },
  %row { ptr @f3_63_62, i32 3, i32 63, i32 62, i32 0 },
  %row { ptr @f3_63_63, i32 3, i32 63, i32 63, i32 0 },
  %row { ptr @f4_63_0, i32 4, i32 63, i32 0, i32 0 },
  %row { ptr @f4_63_31, i32 4, i32 63, i32 31, i32 0 },
  %row { ptr @f5_63_0, i32 5, i32 63, i32 0, i32 0 },
  %row { ptr @f5_63_31, i32 5, i32 63, i32 31, i32 0 },
  %row { ptr @f6_63_0, i32 6, i32 63, i32 0, i32 0 },
  %row { ptr @f6_63_31, i32 6, i32 63, i32 31, i32 0 },
  %row { ptr @f7_63_0, i32 7, i32 63, i32 0, i32 0 },
  %row { ptr @f7_63_31, i32 7, i32 63, i32 31, i32 0 },
  %row { ptr @f8_63_0, i32 8, i32 63, i32 0, i32 0 },
  %row { ptr @f0_64_0, i32 0, i32 64, i32 0, i32 0 },
  %row { ptr @f0_64_32, i32 0, i32 64, i32 32, i32 0 },
  %row { ptr @f0_64_63, i32 0, i32 64, i32 63, i32 0 },
  %row { ptr @f1_64_0, i32 1, i32 64, i32 0, i32 0 },
  %row { ptr @f1_64_32, i32 1, i32 64, i32 32, i32 0 },
  %row { ptr @f1_64_63, i32 1, i32 64, i32 63, i32 0 },
  %row { ptr @f1_64_64, i32 1, i32 64, i32 64, i32 0 },
  %row { ptr @f2_64_0, i32 2, i32 64, i32 0, i32 0 },
  %row { ptr @f2_64_32, i32 2, i32 64, i32 32, i32 0 },
  %row { ptr @f2_64_63, i32 2, i32 64, i32 63, i32 0 },
  %row { ptr @f3_64_0, i32 3, i32 64, i32 0, i32 0 },
  %row { ptr @f3_64_32, i32 3, i32 64, i32 32, i32 0 },
  %row { ptr @f3_64_63, i32 3, i32 64, i32 63, i32 0 },
  %row { ptr @f3_64_64, i32 3, i32 64, i32 64, i32 0 },
  %row { ptr @f4_64_0, i32 4, i32 64, i32 0, i32 0 },
  %row { ptr @f4_64_32, i32 4, i32 64, i32 32, i32 0 },
  %row { ptr @f5_64_0, i32 5, i32 64, i32 0, i32 0 },
  %row { ptr @f5_64_32, i32 5, i32 64, i32 32, i32 0 },
  %row { ptr @f6_64_0, i32 6, i32 64, i32 0, i32 0 },
  %row { ptr @f6_64_32, i32 6, i32 64, i32 32, i32 0 },
  %row { ptr @f7_64_0, i32 7, i32 64, i32 0, i32 0 },
  %row { ptr @f7_64_32, i32 7, i32 64, i32 32, i32 0 },
  %row { ptr @f8_64_0, i32 8, i32 64, i32 0, i32 0 },
  %row { ptr @f0_100_0, i32 0, i32 100, i32 0, i32 0 },
  %row { ptr @f0_100_50, i32 0, i32 100, i32 50, i32 0 },
  %row { ptr @f0_100_99, i32 0, i32 100, i32 99, i32 0 },
  %row { ptr @f1_100_0, i32 1, i32 100, i32 0, i32 0 },
  %row { ptr @f1_100_50, i32 1, i32 100, i32 50, i32 0 },
  %row { ptr @f1_100_99, i32 1, i32 100, i32 99, i32 0 },
  %row { ptr @f1_100_100, i32 1, i32 100, i32 100, i32 0 },
  %row { ptr @f2_100_0, i32 2, i32 100, i32 0, i32 0 },
  %row { ptr @f2_100_50, i32 2, i32 100, i32 50, i32 0 },
  %row { ptr @f2_100_99, i32 2, i32 100, i32 99, i32 0 },
  %row { ptr @f3_100_0, i32 3, i32 100, i32 0, i32 0 },
  %row { ptr @f3_100_50, i32 3, i32 100, i32 50, i32 0 },
  %row { ptr @f0_128_0, i32 0, i32 128, i32 0, i32 0 },
  %row { ptr @f0_128_64, i32 0, i32 128, i32 64, i32 0 },
  %row { ptr @f0_128_127, i32 0, i32 128, i32 127, i32 0 },
  %row { ptr @f1_128_0, i32 1, i32 128, i32 0, i32 0 },
  %row { ptr @f1_128_64, i32 1, i32 128, i32 64, i32 0 },
  %row { ptr @f1_128_127, i32 1, i32 128, i32 127, i32 0 },
  %row { ptr @f1_128_128, i32 1, i32 128, i32 128, i32 0 },
  %row { ptr @f2_128_0, i32 2, i32 128, i32 0, i32 0 },
  %row { ptr @f2_128_64, i32 2, i32 128, i32 64, i32 0 },
  %row { ptr @f2_128_127, i32 2, i32 128, i32 127, i32 0 },
  %row { ptr @f3_128_0, i32 3, i32 128, i32 0, i32 0 },
  %row { ptr @f3_128_64, i32 3, i32 128, i32 64, i32 0 }
]
@row_count = constant i32 244

define i128 @f0_5_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.smul.fix.i5(i5 %a, i5 %b, i32 0)
  %w = sext i5 %r to i128
  ret i128 %w
}

define i128 @f0_5_2(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.smul.fix.i5(i5 %a, i5 %b, i32 2)
  %w = sext i5 %r to i128
  ret i128 %w
}

define i128 @f0_5_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.smul.fix.i5(i5 %a, i5 %b, i32 4)
  %w = sext i5 %r to i128
  ret i128 %w
}

define i128 @f1_5_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.umul.fix.i5(i5 %a, i5 %b, i32 0)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f1_5_2(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.umul.fix.i5(i5 %a, i5 %b, i32 2)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f1_5_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.umul.fix.i5(i5 %a, i5 %b, i32 4)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f1_5_5(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.umul.fix.i5(i5 %a, i5 %b, i32 5)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f2_5_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.smul.fix.sat.i5(i5 %a, i5 %b, i32 0)
  %w = sext i5 %r to i128
  ret i128 %w
}

define i128 @f2_5_2(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.smul.fix.sat.i5(i5 %a, i5 %b, i32 2)
  %w = sext i5 %r to i128
  ret i128 %w
}

define i128 @f2_5_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.smul.fix.sat.i5(i5 %a, i5 %b, i32 4)
  %w = sext i5 %r to i128
  ret i128 %w
}

define i128 @f3_5_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.umul.fix.sat.i5(i5 %a, i5 %b, i32 0)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f3_5_2(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.umul.fix.sat.i5(i5 %a, i5 %b, i32 2)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f3_5_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.umul.fix.sat.i5(i5 %a, i5 %b, i32 4)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f3_5_5(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.umul.fix.sat.i5(i5 %a, i5 %b, i32 5)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f4_5_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.sdiv.fix.i5(i5 %a, i5 %b, i32 0)
  %w = sext i5 %r to i128
  ret i128 %w
}

define i128 @f4_5_2(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.sdiv.fix.i5(i5 %a, i5 %b, i32 2)
  %w = sext i5 %r to i128
  ret i128 %w
}

define i128 @f4_5_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.sdiv.fix.i5(i5 %a, i5 %b, i32 4)
  %w = sext i5 %r to i128
  ret i128 %w
}

define i128 @f5_5_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.udiv.fix.i5(i5 %a, i5 %b, i32 0)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f5_5_2(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.udiv.fix.i5(i5 %a, i5 %b, i32 2)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f5_5_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.udiv.fix.i5(i5 %a, i5 %b, i32 4)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f5_5_5(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.udiv.fix.i5(i5 %a, i5 %b, i32 5)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f6_5_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.sdiv.fix.sat.i5(i5 %a, i5 %b, i32 0)
  %w = sext i5 %r to i128
  ret i128 %w
}

define i128 @f6_5_2(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.sdiv.fix.sat.i5(i5 %a, i5 %b, i32 2)
  %w = sext i5 %r to i128
  ret i128 %w
}

define i128 @f6_5_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.sdiv.fix.sat.i5(i5 %a, i5 %b, i32 4)
  %w = sext i5 %r to i128
  ret i128 %w
}

define i128 @f7_5_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.udiv.fix.sat.i5(i5 %a, i5 %b, i32 0)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f7_5_2(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.udiv.fix.sat.i5(i5 %a, i5 %b, i32 2)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f7_5_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.udiv.fix.sat.i5(i5 %a, i5 %b, i32 4)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f7_5_5(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.udiv.fix.sat.i5(i5 %a, i5 %b, i32 5)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f8_5_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i5
  %b = trunc i128 %y to i5
  %r = call i5 @llvm.clmul.i5(i5 %a, i5 %b)
  %w = zext i5 %r to i128
  ret i128 %w
}

define i128 @f0_8_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.smul.fix.i8(i8 %a, i8 %b, i32 0)
  %w = sext i8 %r to i128
  ret i128 %w
}

define i128 @f0_8_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.smul.fix.i8(i8 %a, i8 %b, i32 4)
  %w = sext i8 %r to i128
  ret i128 %w
}

define i128 @f0_8_7(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.smul.fix.i8(i8 %a, i8 %b, i32 7)
  %w = sext i8 %r to i128
  ret i128 %w
}

define i128 @f1_8_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.umul.fix.i8(i8 %a, i8 %b, i32 0)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f1_8_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.umul.fix.i8(i8 %a, i8 %b, i32 4)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f1_8_7(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.umul.fix.i8(i8 %a, i8 %b, i32 7)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f1_8_8(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.umul.fix.i8(i8 %a, i8 %b, i32 8)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f2_8_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.smul.fix.sat.i8(i8 %a, i8 %b, i32 0)
  %w = sext i8 %r to i128
  ret i128 %w
}

define i128 @f2_8_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.smul.fix.sat.i8(i8 %a, i8 %b, i32 4)
  %w = sext i8 %r to i128
  ret i128 %w
}

define i128 @f2_8_7(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.smul.fix.sat.i8(i8 %a, i8 %b, i32 7)
  %w = sext i8 %r to i128
  ret i128 %w
}

define i128 @f3_8_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.umul.fix.sat.i8(i8 %a, i8 %b, i32 0)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f3_8_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.umul.fix.sat.i8(i8 %a, i8 %b, i32 4)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f3_8_7(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.umul.fix.sat.i8(i8 %a, i8 %b, i32 7)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f3_8_8(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.umul.fix.sat.i8(i8 %a, i8 %b, i32 8)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f4_8_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.sdiv.fix.i8(i8 %a, i8 %b, i32 0)
  %w = sext i8 %r to i128
  ret i128 %w
}

define i128 @f4_8_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.sdiv.fix.i8(i8 %a, i8 %b, i32 4)
  %w = sext i8 %r to i128
  ret i128 %w
}

define i128 @f4_8_7(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.sdiv.fix.i8(i8 %a, i8 %b, i32 7)
  %w = sext i8 %r to i128
  ret i128 %w
}

define i128 @f5_8_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.udiv.fix.i8(i8 %a, i8 %b, i32 0)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f5_8_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.udiv.fix.i8(i8 %a, i8 %b, i32 4)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f5_8_7(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.udiv.fix.i8(i8 %a, i8 %b, i32 7)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f5_8_8(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.udiv.fix.i8(i8 %a, i8 %b, i32 8)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f6_8_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.sdiv.fix.sat.i8(i8 %a, i8 %b, i32 0)
  %w = sext i8 %r to i128
  ret i128 %w
}

define i128 @f6_8_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.sdiv.fix.sat.i8(i8 %a, i8 %b, i32 4)
  %w = sext i8 %r to i128
  ret i128 %w
}

define i128 @f6_8_7(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.sdiv.fix.sat.i8(i8 %a, i8 %b, i32 7)
  %w = sext i8 %r to i128
  ret i128 %w
}

define i128 @f7_8_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.udiv.fix.sat.i8(i8 %a, i8 %b, i32 0)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f7_8_4(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.udiv.fix.sat.i8(i8 %a, i8 %b, i32 4)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f7_8_7(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.udiv.fix.sat.i8(i8 %a, i8 %b, i32 7)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f7_8_8(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.udiv.fix.sat.i8(i8 %a, i8 %b, i32 8)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f8_8_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i8
  %b = trunc i128 %y to i8
  %r = call i8 @llvm.clmul.i8(i8 %a, i8 %b)
  %w = zext i8 %r to i128
  ret i128 %w
}

define i128 @f0_16_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.smul.fix.i16(i16 %a, i16 %b, i32 0)
  %w = sext i16 %r to i128
  ret i128 %w
}

define i128 @f0_16_8(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.smul.fix.i16(i16 %a, i16 %b, i32 8)
  %w = sext i16 %r to i128
  ret i128 %w
}

define i128 @f0_16_15(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.smul.fix.i16(i16 %a, i16 %b, i32 15)
  %w = sext i16 %r to i128
  ret i128 %w
}

define i128 @f1_16_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.umul.fix.i16(i16 %a, i16 %b, i32 0)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f1_16_8(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.umul.fix.i16(i16 %a, i16 %b, i32 8)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f1_16_15(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.umul.fix.i16(i16 %a, i16 %b, i32 15)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f1_16_16(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.umul.fix.i16(i16 %a, i16 %b, i32 16)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f2_16_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.smul.fix.sat.i16(i16 %a, i16 %b, i32 0)
  %w = sext i16 %r to i128
  ret i128 %w
}

define i128 @f2_16_8(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.smul.fix.sat.i16(i16 %a, i16 %b, i32 8)
  %w = sext i16 %r to i128
  ret i128 %w
}

define i128 @f2_16_15(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.smul.fix.sat.i16(i16 %a, i16 %b, i32 15)
  %w = sext i16 %r to i128
  ret i128 %w
}

define i128 @f3_16_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.umul.fix.sat.i16(i16 %a, i16 %b, i32 0)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f3_16_8(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.umul.fix.sat.i16(i16 %a, i16 %b, i32 8)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f3_16_15(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.umul.fix.sat.i16(i16 %a, i16 %b, i32 15)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f3_16_16(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.umul.fix.sat.i16(i16 %a, i16 %b, i32 16)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f4_16_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.sdiv.fix.i16(i16 %a, i16 %b, i32 0)
  %w = sext i16 %r to i128
  ret i128 %w
}

define i128 @f4_16_8(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.sdiv.fix.i16(i16 %a, i16 %b, i32 8)
  %w = sext i16 %r to i128
  ret i128 %w
}

define i128 @f4_16_15(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.sdiv.fix.i16(i16 %a, i16 %b, i32 15)
  %w = sext i16 %r to i128
  ret i128 %w
}

define i128 @f5_16_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.udiv.fix.i16(i16 %a, i16 %b, i32 0)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f5_16_8(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.udiv.fix.i16(i16 %a, i16 %b, i32 8)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f5_16_15(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.udiv.fix.i16(i16 %a, i16 %b, i32 15)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f5_16_16(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.udiv.fix.i16(i16 %a, i16 %b, i32 16)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f6_16_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.sdiv.fix.sat.i16(i16 %a, i16 %b, i32 0)
  %w = sext i16 %r to i128
  ret i128 %w
}

define i128 @f6_16_8(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.sdiv.fix.sat.i16(i16 %a, i16 %b, i32 8)
  %w = sext i16 %r to i128
  ret i128 %w
}

define i128 @f6_16_15(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.sdiv.fix.sat.i16(i16 %a, i16 %b, i32 15)
  %w = sext i16 %r to i128
  ret i128 %w
}

define i128 @f7_16_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.udiv.fix.sat.i16(i16 %a, i16 %b, i32 0)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f7_16_8(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.udiv.fix.sat.i16(i16 %a, i16 %b, i32 8)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f7_16_15(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.udiv.fix.sat.i16(i16 %a, i16 %b, i32 15)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f7_16_16(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.udiv.fix.sat.i16(i16 %a, i16 %b, i32 16)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f8_16_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i16
  %b = trunc i128 %y to i16
  %r = call i16 @llvm.clmul.i16(i16 %a, i16 %b)
  %w = zext i16 %r to i128
  ret i128 %w
}

define i128 @f0_24_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.smul.fix.i24(i24 %a, i24 %b, i32 0)
  %w = sext i24 %r to i128
  ret i128 %w
}

define i128 @f0_24_12(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.smul.fix.i24(i24 %a, i24 %b, i32 12)
  %w = sext i24 %r to i128
  ret i128 %w
}

define i128 @f0_24_23(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.smul.fix.i24(i24 %a, i24 %b, i32 23)
  %w = sext i24 %r to i128
  ret i128 %w
}

define i128 @f1_24_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.umul.fix.i24(i24 %a, i24 %b, i32 0)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f1_24_12(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.umul.fix.i24(i24 %a, i24 %b, i32 12)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f1_24_23(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.umul.fix.i24(i24 %a, i24 %b, i32 23)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f1_24_24(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.umul.fix.i24(i24 %a, i24 %b, i32 24)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f2_24_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.smul.fix.sat.i24(i24 %a, i24 %b, i32 0)
  %w = sext i24 %r to i128
  ret i128 %w
}

define i128 @f2_24_12(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.smul.fix.sat.i24(i24 %a, i24 %b, i32 12)
  %w = sext i24 %r to i128
  ret i128 %w
}

define i128 @f2_24_23(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.smul.fix.sat.i24(i24 %a, i24 %b, i32 23)
  %w = sext i24 %r to i128
  ret i128 %w
}

define i128 @f3_24_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.umul.fix.sat.i24(i24 %a, i24 %b, i32 0)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f3_24_12(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.umul.fix.sat.i24(i24 %a, i24 %b, i32 12)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f3_24_23(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.umul.fix.sat.i24(i24 %a, i24 %b, i32 23)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f3_24_24(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.umul.fix.sat.i24(i24 %a, i24 %b, i32 24)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f4_24_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.sdiv.fix.i24(i24 %a, i24 %b, i32 0)
  %w = sext i24 %r to i128
  ret i128 %w
}

define i128 @f4_24_12(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.sdiv.fix.i24(i24 %a, i24 %b, i32 12)
  %w = sext i24 %r to i128
  ret i128 %w
}

define i128 @f4_24_23(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.sdiv.fix.i24(i24 %a, i24 %b, i32 23)
  %w = sext i24 %r to i128
  ret i128 %w
}

define i128 @f5_24_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.udiv.fix.i24(i24 %a, i24 %b, i32 0)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f5_24_12(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.udiv.fix.i24(i24 %a, i24 %b, i32 12)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f5_24_23(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.udiv.fix.i24(i24 %a, i24 %b, i32 23)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f5_24_24(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.udiv.fix.i24(i24 %a, i24 %b, i32 24)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f6_24_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.sdiv.fix.sat.i24(i24 %a, i24 %b, i32 0)
  %w = sext i24 %r to i128
  ret i128 %w
}

define i128 @f6_24_12(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.sdiv.fix.sat.i24(i24 %a, i24 %b, i32 12)
  %w = sext i24 %r to i128
  ret i128 %w
}

define i128 @f6_24_23(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.sdiv.fix.sat.i24(i24 %a, i24 %b, i32 23)
  %w = sext i24 %r to i128
  ret i128 %w
}

define i128 @f7_24_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.udiv.fix.sat.i24(i24 %a, i24 %b, i32 0)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f7_24_12(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.udiv.fix.sat.i24(i24 %a, i24 %b, i32 12)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f7_24_23(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.udiv.fix.sat.i24(i24 %a, i24 %b, i32 23)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f7_24_24(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.udiv.fix.sat.i24(i24 %a, i24 %b, i32 24)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f8_24_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i24
  %b = trunc i128 %y to i24
  %r = call i24 @llvm.clmul.i24(i24 %a, i24 %b)
  %w = zext i24 %r to i128
  ret i128 %w
}

define i128 @f0_32_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.smul.fix.i32(i32 %a, i32 %b, i32 0)
  %w = sext i32 %r to i128
  ret i128 %w
}

define i128 @f0_32_16(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.smul.fix.i32(i32 %a, i32 %b, i32 16)
  %w = sext i32 %r to i128
  ret i128 %w
}

define i128 @f0_32_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.smul.fix.i32(i32 %a, i32 %b, i32 31)
  %w = sext i32 %r to i128
  ret i128 %w
}

define i128 @f1_32_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.umul.fix.i32(i32 %a, i32 %b, i32 0)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f1_32_16(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.umul.fix.i32(i32 %a, i32 %b, i32 16)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f1_32_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.umul.fix.i32(i32 %a, i32 %b, i32 31)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f1_32_32(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.umul.fix.i32(i32 %a, i32 %b, i32 32)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f2_32_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.smul.fix.sat.i32(i32 %a, i32 %b, i32 0)
  %w = sext i32 %r to i128
  ret i128 %w
}

define i128 @f2_32_16(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.smul.fix.sat.i32(i32 %a, i32 %b, i32 16)
  %w = sext i32 %r to i128
  ret i128 %w
}

define i128 @f2_32_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.smul.fix.sat.i32(i32 %a, i32 %b, i32 31)
  %w = sext i32 %r to i128
  ret i128 %w
}

define i128 @f3_32_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.umul.fix.sat.i32(i32 %a, i32 %b, i32 0)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f3_32_16(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.umul.fix.sat.i32(i32 %a, i32 %b, i32 16)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f3_32_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.umul.fix.sat.i32(i32 %a, i32 %b, i32 31)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f3_32_32(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.umul.fix.sat.i32(i32 %a, i32 %b, i32 32)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f4_32_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.sdiv.fix.i32(i32 %a, i32 %b, i32 0)
  %w = sext i32 %r to i128
  ret i128 %w
}

define i128 @f4_32_16(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.sdiv.fix.i32(i32 %a, i32 %b, i32 16)
  %w = sext i32 %r to i128
  ret i128 %w
}

define i128 @f4_32_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.sdiv.fix.i32(i32 %a, i32 %b, i32 31)
  %w = sext i32 %r to i128
  ret i128 %w
}

define i128 @f5_32_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.udiv.fix.i32(i32 %a, i32 %b, i32 0)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f5_32_16(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.udiv.fix.i32(i32 %a, i32 %b, i32 16)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f5_32_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.udiv.fix.i32(i32 %a, i32 %b, i32 31)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f5_32_32(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.udiv.fix.i32(i32 %a, i32 %b, i32 32)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f6_32_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.sdiv.fix.sat.i32(i32 %a, i32 %b, i32 0)
  %w = sext i32 %r to i128
  ret i128 %w
}

define i128 @f6_32_16(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.sdiv.fix.sat.i32(i32 %a, i32 %b, i32 16)
  %w = sext i32 %r to i128
  ret i128 %w
}

define i128 @f6_32_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.sdiv.fix.sat.i32(i32 %a, i32 %b, i32 31)
  %w = sext i32 %r to i128
  ret i128 %w
}

define i128 @f7_32_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.udiv.fix.sat.i32(i32 %a, i32 %b, i32 0)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f7_32_16(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.udiv.fix.sat.i32(i32 %a, i32 %b, i32 16)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f7_32_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.udiv.fix.sat.i32(i32 %a, i32 %b, i32 31)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f7_32_32(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.udiv.fix.sat.i32(i32 %a, i32 %b, i32 32)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f8_32_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i32
  %b = trunc i128 %y to i32
  %r = call i32 @llvm.clmul.i32(i32 %a, i32 %b)
  %w = zext i32 %r to i128
  ret i128 %w
}

define i128 @f0_40_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.smul.fix.i40(i40 %a, i40 %b, i32 0)
  %w = sext i40 %r to i128
  ret i128 %w
}

define i128 @f0_40_20(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.smul.fix.i40(i40 %a, i40 %b, i32 20)
  %w = sext i40 %r to i128
  ret i128 %w
}

define i128 @f0_40_39(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.smul.fix.i40(i40 %a, i40 %b, i32 39)
  %w = sext i40 %r to i128
  ret i128 %w
}

define i128 @f1_40_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.umul.fix.i40(i40 %a, i40 %b, i32 0)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f1_40_20(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.umul.fix.i40(i40 %a, i40 %b, i32 20)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f1_40_39(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.umul.fix.i40(i40 %a, i40 %b, i32 39)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f1_40_40(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.umul.fix.i40(i40 %a, i40 %b, i32 40)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f2_40_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.smul.fix.sat.i40(i40 %a, i40 %b, i32 0)
  %w = sext i40 %r to i128
  ret i128 %w
}

define i128 @f2_40_20(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.smul.fix.sat.i40(i40 %a, i40 %b, i32 20)
  %w = sext i40 %r to i128
  ret i128 %w
}

define i128 @f2_40_39(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.smul.fix.sat.i40(i40 %a, i40 %b, i32 39)
  %w = sext i40 %r to i128
  ret i128 %w
}

define i128 @f3_40_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.umul.fix.sat.i40(i40 %a, i40 %b, i32 0)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f3_40_20(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.umul.fix.sat.i40(i40 %a, i40 %b, i32 20)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f3_40_39(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.umul.fix.sat.i40(i40 %a, i40 %b, i32 39)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f3_40_40(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.umul.fix.sat.i40(i40 %a, i40 %b, i32 40)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f4_40_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.sdiv.fix.i40(i40 %a, i40 %b, i32 0)
  %w = sext i40 %r to i128
  ret i128 %w
}

define i128 @f4_40_20(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.sdiv.fix.i40(i40 %a, i40 %b, i32 20)
  %w = sext i40 %r to i128
  ret i128 %w
}

define i128 @f4_40_39(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.sdiv.fix.i40(i40 %a, i40 %b, i32 39)
  %w = sext i40 %r to i128
  ret i128 %w
}

define i128 @f5_40_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.udiv.fix.i40(i40 %a, i40 %b, i32 0)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f5_40_20(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.udiv.fix.i40(i40 %a, i40 %b, i32 20)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f5_40_39(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.udiv.fix.i40(i40 %a, i40 %b, i32 39)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f5_40_40(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.udiv.fix.i40(i40 %a, i40 %b, i32 40)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f6_40_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.sdiv.fix.sat.i40(i40 %a, i40 %b, i32 0)
  %w = sext i40 %r to i128
  ret i128 %w
}

define i128 @f6_40_20(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.sdiv.fix.sat.i40(i40 %a, i40 %b, i32 20)
  %w = sext i40 %r to i128
  ret i128 %w
}

define i128 @f6_40_39(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.sdiv.fix.sat.i40(i40 %a, i40 %b, i32 39)
  %w = sext i40 %r to i128
  ret i128 %w
}

define i128 @f7_40_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.udiv.fix.sat.i40(i40 %a, i40 %b, i32 0)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f7_40_20(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.udiv.fix.sat.i40(i40 %a, i40 %b, i32 20)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f7_40_39(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.udiv.fix.sat.i40(i40 %a, i40 %b, i32 39)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f7_40_40(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.udiv.fix.sat.i40(i40 %a, i40 %b, i32 40)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f8_40_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i40
  %b = trunc i128 %y to i40
  %r = call i40 @llvm.clmul.i40(i40 %a, i40 %b)
  %w = zext i40 %r to i128
  ret i128 %w
}

define i128 @f0_63_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.smul.fix.i63(i63 %a, i63 %b, i32 0)
  %w = sext i63 %r to i128
  ret i128 %w
}

define i128 @f0_63_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.smul.fix.i63(i63 %a, i63 %b, i32 31)
  %w = sext i63 %r to i128
  ret i128 %w
}

define i128 @f0_63_62(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.smul.fix.i63(i63 %a, i63 %b, i32 62)
  %w = sext i63 %r to i128
  ret i128 %w
}

define i128 @f1_63_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.umul.fix.i63(i63 %a, i63 %b, i32 0)
  %w = zext i63 %r to i128
  ret i128 %w
}

define i128 @f1_63_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.umul.fix.i63(i63 %a, i63 %b, i32 31)
  %w = zext i63 %r to i128
  ret i128 %w
}

define i128 @f1_63_62(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.umul.fix.i63(i63 %a, i63 %b, i32 62)
  %w = zext i63 %r to i128
  ret i128 %w
}

define i128 @f1_63_63(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.umul.fix.i63(i63 %a, i63 %b, i32 63)
  %w = zext i63 %r to i128
  ret i128 %w
}

define i128 @f2_63_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.smul.fix.sat.i63(i63 %a, i63 %b, i32 0)
  %w = sext i63 %r to i128
  ret i128 %w
}

define i128 @f2_63_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.smul.fix.sat.i63(i63 %a, i63 %b, i32 31)
  %w = sext i63 %r to i128
  ret i128 %w
}

define i128 @f2_63_62(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.smul.fix.sat.i63(i63 %a, i63 %b, i32 62)
  %w = sext i63 %r to i128
  ret i128 %w
}

define i128 @f3_63_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.umul.fix.sat.i63(i63 %a, i63 %b, i32 0)
  %w = zext i63 %r to i128
  ret i128 %w
}

define i128 @f3_63_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.umul.fix.sat.i63(i63 %a, i63 %b, i32 31)
  %w = zext i63 %r to i128
  ret i128 %w
}

define i128 @f3_63_62(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.umul.fix.sat.i63(i63 %a, i63 %b, i32 62)
  %w = zext i63 %r to i128
  ret i128 %w
}

define i128 @f3_63_63(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.umul.fix.sat.i63(i63 %a, i63 %b, i32 63)
  %w = zext i63 %r to i128
  ret i128 %w
}

define i128 @f4_63_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.sdiv.fix.i63(i63 %a, i63 %b, i32 0)
  %w = sext i63 %r to i128
  ret i128 %w
}

define i128 @f4_63_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.sdiv.fix.i63(i63 %a, i63 %b, i32 31)
  %w = sext i63 %r to i128
  ret i128 %w
}

define i128 @f5_63_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.udiv.fix.i63(i63 %a, i63 %b, i32 0)
  %w = zext i63 %r to i128
  ret i128 %w
}

define i128 @f5_63_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.udiv.fix.i63(i63 %a, i63 %b, i32 31)
  %w = zext i63 %r to i128
  ret i128 %w
}

define i128 @f6_63_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.sdiv.fix.sat.i63(i63 %a, i63 %b, i32 0)
  %w = sext i63 %r to i128
  ret i128 %w
}

define i128 @f6_63_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.sdiv.fix.sat.i63(i63 %a, i63 %b, i32 31)
  %w = sext i63 %r to i128
  ret i128 %w
}

define i128 @f7_63_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.udiv.fix.sat.i63(i63 %a, i63 %b, i32 0)
  %w = zext i63 %r to i128
  ret i128 %w
}

define i128 @f7_63_31(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.udiv.fix.sat.i63(i63 %a, i63 %b, i32 31)
  %w = zext i63 %r to i128
  ret i128 %w
}

define i128 @f8_63_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i63
  %b = trunc i128 %y to i63
  %r = call i63 @llvm.clmul.i63(i63 %a, i63 %b)
  %w = zext i63 %r to i128
  ret i128 %w
}

define i128 @f0_64_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.smul.fix.i64(i64 %a, i64 %b, i32 0)
  %w = sext i64 %r to i128
  ret i128 %w
}

define i128 @f0_64_32(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.smul.fix.i64(i64 %a, i64 %b, i32 32)
  %w = sext i64 %r to i128
  ret i128 %w
}

define i128 @f0_64_63(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.smul.fix.i64(i64 %a, i64 %b, i32 63)
  %w = sext i64 %r to i128
  ret i128 %w
}

define i128 @f1_64_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.umul.fix.i64(i64 %a, i64 %b, i32 0)
  %w = zext i64 %r to i128
  ret i128 %w
}

define i128 @f1_64_32(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.umul.fix.i64(i64 %a, i64 %b, i32 32)
  %w = zext i64 %r to i128
  ret i128 %w
}

define i128 @f1_64_63(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.umul.fix.i64(i64 %a, i64 %b, i32 63)
  %w = zext i64 %r to i128
  ret i128 %w
}

define i128 @f1_64_64(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.umul.fix.i64(i64 %a, i64 %b, i32 64)
  %w = zext i64 %r to i128
  ret i128 %w
}

define i128 @f2_64_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.smul.fix.sat.i64(i64 %a, i64 %b, i32 0)
  %w = sext i64 %r to i128
  ret i128 %w
}

define i128 @f2_64_32(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.smul.fix.sat.i64(i64 %a, i64 %b, i32 32)
  %w = sext i64 %r to i128
  ret i128 %w
}

define i128 @f2_64_63(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.smul.fix.sat.i64(i64 %a, i64 %b, i32 63)
  %w = sext i64 %r to i128
  ret i128 %w
}

define i128 @f3_64_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.umul.fix.sat.i64(i64 %a, i64 %b, i32 0)
  %w = zext i64 %r to i128
  ret i128 %w
}

define i128 @f3_64_32(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.umul.fix.sat.i64(i64 %a, i64 %b, i32 32)
  %w = zext i64 %r to i128
  ret i128 %w
}

define i128 @f3_64_63(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.umul.fix.sat.i64(i64 %a, i64 %b, i32 63)
  %w = zext i64 %r to i128
  ret i128 %w
}

define i128 @f3_64_64(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.umul.fix.sat.i64(i64 %a, i64 %b, i32 64)
  %w = zext i64 %r to i128
  ret i128 %w
}

define i128 @f4_64_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.sdiv.fix.i64(i64 %a, i64 %b, i32 0)
  %w = sext i64 %r to i128
  ret i128 %w
}

define i128 @f4_64_32(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.sdiv.fix.i64(i64 %a, i64 %b, i32 32)
  %w = sext i64 %r to i128
  ret i128 %w
}

define i128 @f5_64_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.udiv.fix.i64(i64 %a, i64 %b, i32 0)
  %w = zext i64 %r to i128
  ret i128 %w
}

define i128 @f5_64_32(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.udiv.fix.i64(i64 %a, i64 %b, i32 32)
  %w = zext i64 %r to i128
  ret i128 %w
}

define i128 @f6_64_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.sdiv.fix.sat.i64(i64 %a, i64 %b, i32 0)
  %w = sext i64 %r to i128
  ret i128 %w
}

define i128 @f6_64_32(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.sdiv.fix.sat.i64(i64 %a, i64 %b, i32 32)
  %w = sext i64 %r to i128
  ret i128 %w
}

define i128 @f7_64_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.udiv.fix.sat.i64(i64 %a, i64 %b, i32 0)
  %w = zext i64 %r to i128
  ret i128 %w
}

define i128 @f7_64_32(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.udiv.fix.sat.i64(i64 %a, i64 %b, i32 32)
  %w = zext i64 %r to i128
  ret i128 %w
}

define i128 @f8_64_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %r = call i64 @llvm.clmul.i64(i64 %a, i64 %b)
  %w = zext i64 %r to i128
  ret i128 %w
}

define i128 @f0_100_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i100
  %b = trunc i128 %y to i100
  %r = call i100 @llvm.smul.fix.i100(i100 %a, i100 %b, i32 0)
  %w = sext i100 %r to i128
  ret i128 %w
}

define i128 @f0_100_50(i128 %x, i128 %y) {
  %a = trunc i128 %x to i100
  %b = trunc i128 %y to i100
  %r = call i100 @llvm.smul.fix.i100(i100 %a, i100 %b, i32 50)
  %w = sext i100 %r to i128
  ret i128 %w
}

define i128 @f0_100_99(i128 %x, i128 %y) {
  %a = trunc i128 %x to i100
  %b = trunc i128 %y to i100
  %r = call i100 @llvm.smul.fix.i100(i100 %a, i100 %b, i32 99)
  %w = sext i100 %r to i128
  ret i128 %w
}

define i128 @f1_100_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i100
  %b = trunc i128 %y to i100
  %r = call i100 @llvm.umul.fix.i100(i100 %a, i100 %b, i32 0)
  %w = zext i100 %r to i128
  ret i128 %w
}

define i128 @f1_100_50(i128 %x, i128 %y) {
  %a = trunc i128 %x to i100
  %b = trunc i128 %y to i100
  %r = call i100 @llvm.umul.fix.i100(i100 %a, i100 %b, i32 50)
  %w = zext i100 %r to i128
  ret i128 %w
}

define i128 @f1_100_99(i128 %x, i128 %y) {
  %a = trunc i128 %x to i100
  %b = trunc i128 %y to i100
  %r = call i100 @llvm.umul.fix.i100(i100 %a, i100 %b, i32 99)
  %w = zext i100 %r to i128
  ret i128 %w
}

define i128 @f1_100_100(i128 %x, i128 %y) {
  %a = trunc i128 %x to i100
  %b = trunc i128 %y to i100
  %r = call i100 @llvm.umul.fix.i100(i100 %a, i100 %b, i32 100)
  %w = zext i100 %r to i128
  ret i128 %w
}

define i128 @f2_100_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i100
  %b = trunc i128 %y to i100
  %r = call i100 @llvm.smul.fix.sat.i100(i100 %a, i100 %b, i32 0)
  %w = sext i100 %r to i128
  ret i128 %w
}

define i128 @f2_100_50(i128 %x, i128 %y) {
  %a = trunc i128 %x to i100
  %b = trunc i128 %y to i100
  %r = call i100 @llvm.smul.fix.sat.i100(i100 %a, i100 %b, i32 50)
  %w = sext i100 %r to i128
  ret i128 %w
}

define i128 @f2_100_99(i128 %x, i128 %y) {
  %a = trunc i128 %x to i100
  %b = trunc i128 %y to i100
  %r = call i100 @llvm.smul.fix.sat.i100(i100 %a, i100 %b, i32 99)
  %w = sext i100 %r to i128
  ret i128 %w
}

define i128 @f3_100_0(i128 %x, i128 %y) {
  %a = trunc i128 %x to i100
  %b = trunc i128 %y to i100
  %r = call i100 @llvm.umul.fix.sat.i100(i100 %a, i100 %b, i32 0)
  %w = zext i100 %r to i128
  ret i128 %w
}

define i128 @f3_100_50(i128 %x, i128 %y) {
  %a = trunc i128 %x to i100
  %b = trunc i128 %y to i100
  %r = call i100 @llvm.umul.fix.sat.i100(i100 %a, i100 %b, i32 50)
  %w = zext i100 %r to i128
  ret i128 %w
}

define i128 @f0_128_0(i128 %x, i128 %y) {
  %a = freeze i128 %x
  %b = freeze i128 %y
  %r = call i128 @llvm.smul.fix.i128(i128 %a, i128 %b, i32 0)
  ret i128 %r
}

define i128 @f0_128_64(i128 %x, i128 %y) {
  %a = freeze i128 %x
  %b = freeze i128 %y
  %r = call i128 @llvm.smul.fix.i128(i128 %a, i128 %b, i32 64)
  ret i128 %r
}

define i128 @f0_128_127(i128 %x, i128 %y) {
  %a = freeze i128 %x
  %b = freeze i128 %y
  %r = call i128 @llvm.smul.fix.i128(i128 %a, i128 %b, i32 127)
  ret i128 %r
}

define i128 @f1_128_0(i128 %x, i128 %y) {
  %a = freeze i128 %x
  %b = freeze i128 %y
  %r = call i128 @llvm.umul.fix.i128(i128 %a, i128 %b, i32 0)
  ret i128 %r
}

define i128 @f1_128_64(i128 %x, i128 %y) {
  %a = freeze i128 %x
  %b = freeze i128 %y
  %r = call i128 @llvm.umul.fix.i128(i128 %a, i128 %b, i32 64)
  ret i128 %r
}

define i128 @f1_128_127(i128 %x, i128 %y) {
  %a = freeze i128 %x
  %b = freeze i128 %y
  %r = call i128 @llvm.umul.fix.i128(i128 %a, i128 %b, i32 127)
  ret i128 %r
}

define i128 @f1_128_128(i128 %x, i128 %y) {
  %a = freeze i128 %x
  %b = freeze i128 %y
  %r = call i128 @llvm.umul.fix.i128(i128 %a, i128 %b, i32 128)
  ret i128 %r
}

define i128 @f2_128_0(i128 %x, i128 %y) {
  %a = freeze i128 %x
  %b = freeze i128 %y
  %r = call i128 @llvm.smul.fix.sat.i128(i128 %a, i128 %b, i32 0)
  ret i128 %r
}

define i128 @f2_128_64(i128 %x, i128 %y) {
  %a = freeze i128 %x
  %b = freeze i128 %y
  %r = call i128 @llvm.smul.fix.sat.i128(i128 %a, i128 %b, i32 64)
  ret i128 %r
}

define i128 @f2_128_127(i128 %x, i128 %y) {
  %a = freeze i128 %x
  %b = freeze i128 %y
  %r = call i128 @llvm.smul.fix.sat.i128(i128 %a, i128 %b, i32 127)
  ret i128 %r
}

define i128 @f3_128_0(i128 %x, i128 %y) {
  %a = freeze i128 %x
  %b = freeze i128 %y
  %r = call i128 @llvm.umul.fix.sat.i128(i128 %a, i128 %b, i32 0)
  ret i128 %r
}

define i128 @f3_128_64(i128 %x, i128 %y) {
  %a = freeze i128 %x
  %b = freeze i128 %y
  %r = call i128 @llvm.umul.fix.sat.i128(i128 %a, i128 %b, i32 64)
  ret i128 %r
}

declare i100 @llvm.smul.fix.i100(i100, i100, i32)
declare i100 @llvm.smul.fix.sat.i100(i100, i100, i32)
declare i100 @llvm.umul.fix.i100(i100, i100, i32)
declare i100 @llvm.umul.fix.sat.i100(i100, i100, i32)
declare i128 @llvm.smul.fix.i128(i128, i128, i32)
declare i128 @llvm.smul.fix.sat.i128(i128, i128, i32)
declare i128 @llvm.umul.fix.i128(i128, i128, i32)
declare i128 @llvm.umul.fix.sat.i128(i128, i128, i32)
declare i16 @llvm.clmul.i16(i16, i16)
declare i16 @llvm.sdiv.fix.i16(i16, i16, i32)
declare i16 @llvm.sdiv.fix.sat.i16(i16, i16, i32)
declare i16 @llvm.smul.fix.i16(i16, i16, i32)
declare i16 @llvm.smul.fix.sat.i16(i16, i16, i32)
declare i16 @llvm.udiv.fix.i16(i16, i16, i32)
declare i16 @llvm.udiv.fix.sat.i16(i16, i16, i32)
declare i16 @llvm.umul.fix.i16(i16, i16, i32)
declare i16 @llvm.umul.fix.sat.i16(i16, i16, i32)
declare i24 @llvm.clmul.i24(i24, i24)
declare i24 @llvm.sdiv.fix.i24(i24, i24, i32)
declare i24 @llvm.sdiv.fix.sat.i24(i24, i24, i32)
declare i24 @llvm.smul.fix.i24(i24, i24, i32)
declare i24 @llvm.smul.fix.sat.i24(i24, i24, i32)
declare i24 @llvm.udiv.fix.i24(i24, i24, i32)
declare i24 @llvm.udiv.fix.sat.i24(i24, i24, i32)
declare i24 @llvm.umul.fix.i24(i24, i24, i32)
declare i24 @llvm.umul.fix.sat.i24(i24, i24, i32)
declare i32 @llvm.clmul.i32(i32, i32)
declare i32 @llvm.sdiv.fix.i32(i32, i32, i32)
declare i32 @llvm.sdiv.fix.sat.i32(i32, i32, i32)
declare i32 @llvm.smul.fix.i32(i32, i32, i32)
declare i32 @llvm.smul.fix.sat.i32(i32, i32, i32)
declare i32 @llvm.udiv.fix.i32(i32, i32, i32)
declare i32 @llvm.udiv.fix.sat.i32(i32, i32, i32)
declare i32 @llvm.umul.fix.i32(i32, i32, i32)
declare i32 @llvm.umul.fix.sat.i32(i32, i32, i32)
declare i40 @llvm.clmul.i40(i40, i40)
declare i40 @llvm.sdiv.fix.i40(i40, i40, i32)
declare i40 @llvm.sdiv.fix.sat.i40(i40, i40, i32)
declare i40 @llvm.smul.fix.i40(i40, i40, i32)
declare i40 @llvm.smul.fix.sat.i40(i40, i40, i32)
declare i40 @llvm.udiv.fix.i40(i40, i40, i32)
declare i40 @llvm.udiv.fix.sat.i40(i40, i40, i32)
declare i40 @llvm.umul.fix.i40(i40, i40, i32)
declare i40 @llvm.umul.fix.sat.i40(i40, i40, i32)
declare i5 @llvm.clmul.i5(i5, i5)
declare i5 @llvm.sdiv.fix.i5(i5, i5, i32)
declare i5 @llvm.sdiv.fix.sat.i5(i5, i5, i32)
declare i5 @llvm.smul.fix.i5(i5, i5, i32)
declare i5 @llvm.smul.fix.sat.i5(i5, i5, i32)
declare i5 @llvm.udiv.fix.i5(i5, i5, i32)
declare i5 @llvm.udiv.fix.sat.i5(i5, i5, i32)
declare i5 @llvm.umul.fix.i5(i5, i5, i32)
declare i5 @llvm.umul.fix.sat.i5(i5, i5, i32)
declare i63 @llvm.clmul.i63(i63, i63)
declare i63 @llvm.sdiv.fix.i63(i63, i63, i32)
declare i63 @llvm.sdiv.fix.sat.i63(i63, i63, i32)
declare i63 @llvm.smul.fix.i63(i63, i63, i32)
declare i63 @llvm.smul.fix.sat.i63(i63, i63, i32)
declare i63 @llvm.udiv.fix.i63(i63, i63, i32)
declare i63 @llvm.udiv.fix.sat.i63(i63, i63, i32)
declare i63 @llvm.umul.fix.i63(i63, i63, i32)
declare i63 @llvm.umul.fix.sat.i63(i63, i63, i32)
declare i64 @llvm.clmul.i64(i64, i64)
declare i64 @llvm.sdiv.fix.i64(i64, i64, i32)
declare i64 @llvm.sdiv.fix.sat.i64(i64, i64, i32)
declare i64 @llvm.smul.fix.i64(i64, i64, i32)
declare i64 @llvm.smul.fix.sat.i64(i64, i64, i32)
declare i64 @llvm.udiv.fix.i64(i64, i64, i32)
declare i64 @llvm.udiv.fix.sat.i64(i64, i64, i32)
declare i64 @llvm.umul.fix.i64(i64, i64, i32)
declare i64 @llvm.umul.fix.sat.i64(i64, i64, i32)
declare i8 @llvm.clmul.i8(i8, i8)
declare i8 @llvm.sdiv.fix.i8(i8, i8, i32)
declare i8 @llvm.sdiv.fix.sat.i8(i8, i8, i32)
declare i8 @llvm.smul.fix.i8(i8, i8, i32)
declare i8 @llvm.smul.fix.sat.i8(i8, i8, i32)
declare i8 @llvm.udiv.fix.i8(i8, i8, i32)
declare i8 @llvm.udiv.fix.sat.i8(i8, i8, i32)
declare i8 @llvm.umul.fix.i8(i8, i8, i32)
declare i8 @llvm.umul.fix.sat.i8(i8, i8, i32)
