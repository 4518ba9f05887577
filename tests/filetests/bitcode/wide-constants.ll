; Integer constants of more than 64 bits whose upper words bitcode leaves out: they are zero, not copies of a sign.
@top = constant i128 9223372036854775808

define i128 @sixty_four_ones() {
  ret i128 18446744073709551615
}

define i65 @bit_63(i65 %a) {
  %r = add i65 %a, 9223372036854775808
  ret i65 %r
}

define i128 @minus_two(i128 %a) {
  %r = mul i128 %a, -2
  ret i128 %r
}
