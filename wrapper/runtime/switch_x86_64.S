# Stacks and jumps for x86-64, in the convention of the System V ABI.

        .text

# void pexe_enter(address stack_top, void (*function)(uint32_t), uint32_t argument, void **place)
        .globl  pexe_enter
        .type   pexe_enter, @function
pexe_enter:
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        pushq   %rcx
        movq    %rsp, (%rcx)
        movl    %edi, %esp
        andq    $-16, %rsp
        movl    %edx, %edi
        pushq   $0
        pushq   %rcx
        call    *%rsi
        popq    %rdi
        # Falls through: the function has returned.
        .globl  pexe_leave
        .type   pexe_leave, @function
# void pexe_leave(void **place)
pexe_leave:
        movq    (%rdi), %rsp
        popq    %rcx
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        .size   pexe_leave, . - pexe_leave

# uint32_t __pexe_setjmp(address buffer)
        .globl  __pexe_setjmp
        .type   __pexe_setjmp, @function
__pexe_setjmp:
        movl    %edi, %edi
        movq    (%rsp), %rax
        movq    %rax, (%rdi)
        leaq    8(%rsp), %rax
        movq    %rax, 8(%rdi)
        movq    %rbx, 16(%rdi)
        movq    %rbp, 24(%rdi)
        movq    %r12, 32(%rdi)
        movq    %r13, 40(%rdi)
        movq    %r14, 48(%rdi)
        movq    %r15, 56(%rdi)
        xorl    %eax, %eax
        ret
        .size   __pexe_setjmp, . - __pexe_setjmp

# void __pexe_longjmp(address buffer, uint32_t value), which is not 0 when it comes out
        .globl  __pexe_longjmp
        .type   __pexe_longjmp, @function
__pexe_longjmp:
        movl    %edi, %edi
        movl    %esi, %eax
        testl   %eax, %eax
        jne     1f
        incl    %eax
1:      movq    16(%rdi), %rbx
        movq    24(%rdi), %rbp
        movq    32(%rdi), %r12
        movq    40(%rdi), %r13
        movq    48(%rdi), %r14
        movq    56(%rdi), %r15
        movq    8(%rdi), %rsp
        jmpq    *(%rdi)
        .size   __pexe_longjmp, . - __pexe_longjmp

        .section .note.GNU-stack, "", @progbits
