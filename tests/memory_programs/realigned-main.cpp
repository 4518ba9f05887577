// Calls the functions of the other half with the stack pointer SHIFT bytes beside a multiple of ALIGN, and is called by
// them; it checks that they align it to EXPECTED again. Where vectors are passed on the stack, it is ARGUMENT_SHIFT
// bytes: LLVM takes these for aligned even where it aligns the frame.
#include "realigned.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unwind.h>

#define ALIGNS __attribute__((force_align_arg_pointer, noinline))

int main();

extern "C" {
void call_at(void (*function)(void *), void *argument, long align, long shift);
long call_with(decltype(&on_the_stack) function, const void *stack, long bytes, long align, long shift, const V *vectors);

// The canonical frame address of a call is what the stack pointer was before it.
ALIGNS void check_stack() {
  long misses = ((size_t)__builtin_frame_address(0) + 16) & (EXPECTED - 1);
  printf("stack %ld\n", misses);
}

ALIGNS void check_stack_arguments(int, int, int, int, int, int, V, V, V, V, V, V, V, V v7, V v8, long last, long double x) {
  printf("arguments %g %g %g %ld %Lg\n", v7[0], v8[1], v8[3], last, x);
}

ALIGNS void note(const char *what, long value) { printf("%s %ld\n", what, value); }
ALIGNS void throw_number(long number) { throw number; }
ALIGNS V mix(V a, V b) { return a * b + V{1, 2, 3, 4}; }
ALIGNS void aligned_to(const void *pointer, long bytes) { printf("at %zu\n", (size_t)pointer & (bytes - 1)); }

ALIGNS double sum_of(int count, ...) {
  va_list list;
  va_start(list, count);
  double all = 0;
  for (int i = 0; i < count; ++i)
    all += va_arg(list, double);
  va_end(list);
  return all;
}

static _Unwind_Reason_Code step(_Unwind_Context *context, void *count) {
  ++*(int *)count;
  return _Unwind_FindEnclosingFunction((void *)(_Unwind_GetIP(context) - 1)) == (void *)main ? _URC_END_OF_STACK
                                                                                             : _URC_NO_REASON;
}

ALIGNS int frames_up_to_main() {
  int count = 0;
  _Unwind_Backtrace(step, &count);
  return count;
}
}

// The first gets function, argument, align, shift. The second gets function, stack, bytes, align, shift, vectors.
asm(R"(
	.globl call_at
	.type call_at,@function
call_at:
	.cfi_startproc
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	negq %rdx
	andq %rdx, %rsp
	subq %rcx, %rsp
	movq %rdi, %rax
	movq %rsi, %rdi
	callq *%rax
	leave
	.cfi_def_cfa %rsp, 8
	retq
	.cfi_endproc
	.size call_at, .-call_at

	.globl call_with
	.type call_with,@function
call_with:
	.cfi_startproc
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	negq %rcx
	andq %rcx, %rsp
	subq %r8, %rsp
	subq %rdx, %rsp
	movq %rdi, %rax
	movq %rsp, %rdi
	movq %rdx, %rcx
	rep movsb
	movaps (%r9), %xmm0
	movaps 16(%r9), %xmm1
	movaps 32(%r9), %xmm7
	movl $10, %edi
	movl $11, %esi
	movl $12, %edx
	movl $13, %ecx
	movl $14, %r8d
	movl $15, %r9d
	callq *%rax
	leave
	.cfi_def_cfa %rsp, 8
	retq
	.cfi_endproc
	.size call_with, .-call_with
)");

struct alignas(16) Stack {
  long a;
  alignas(16) long double x;
  V v8;
  Block b;
};

int main() {
  void (*const functions[])(void *) = {spills, dynamic, calls_with_memory, variable,
                                       catches, walks,   tail,              over_aligned, keeps};
  long number = 4;
  call_at(leaf, &number, ALIGN, SHIFT);
  printf("leaf %ld\n", number);
  for (auto function : functions) {
    call_at(function, nullptr, ALIGN, SHIFT);
  }
  Stack stack = {21, 2.5L, V{3, 4, 5, 6}, {{1, 2, 3, 4, 5}}};
  alignas(16) V vectors[3] = {V{1, 1, 1, 1}, V{2, 2, 2, 2}, V{7, 8, 9, 10}};
  // A multiple of what the stack is aligned to.
  alignas(64) char bytes[128] = {};
  __builtin_memcpy(bytes, &stack, sizeof stack);
  printf("direct %ld\n", call_with(on_the_stack, bytes, sizeof bytes, ALIGN, ARGUMENT_SHIFT, vectors));
  printf("must %ld\n", call_with(musttail, bytes, sizeof bytes, ALIGN, ARGUMENT_SHIFT, vectors));
  try {
    call_at(unwinds, (void *)40, ALIGN, SHIFT);
  } catch (long caught) {
    printf("at last %ld\n", caught);
  }
}
