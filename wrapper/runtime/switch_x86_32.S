# Stacks and jumps for 32-bit x86, in the convention of the System V ABI for i386.

        .text

# void pexe_enter(address stack_top, void (*function)(uint32_t), uint32_t argument, void **place)
        .globl  pexe_enter
        .type   pexe_enter, @function
pexe_enter:
        movl    4(%esp), %eax
        movl    8(%esp), %edx
        movl    12(%esp), %ecx
        pushl   %ebp
        pushl   %ebx
        pushl   %esi
        pushl   %edi
        movl    32(%esp), %ebx
        movl    %esp, (%ebx)
        movl    %eax, %esp
        andl    $-16, %esp
        # The argument is at an address that 16 divides; the place is where pexe_leave has its parameter.
        subl    $8, %esp
        pushl   %ebx
        pushl   %ecx
        call    *%edx
        # Falls through: the function has returned.
        .globl  pexe_leave
        .type   pexe_leave, @function
# void pexe_leave(void **place)
pexe_leave:
        movl    4(%esp), %eax
        movl    (%eax), %esp
        popl    %edi
        popl    %esi
        popl    %ebx
        popl    %ebp
        ret
        .size   pexe_leave, . - pexe_leave

# uint32_t __pexe_setjmp(address buffer)
        .globl  __pexe_setjmp
        .type   __pexe_setjmp, @function
__pexe_setjmp:
        movl    4(%esp), %ecx
        movl    (%esp), %eax
        movl    %eax, (%ecx)
        leal    4(%esp), %eax
        movl    %eax, 4(%ecx)
        movl    %ebx, 8(%ecx)
        movl    %ebp, 12(%ecx)
        movl    %esi, 16(%ecx)
        movl    %edi, 20(%ecx)
        xorl    %eax, %eax
        ret
        .size   __pexe_setjmp, . - __pexe_setjmp

# void __pexe_longjmp(address buffer, uint32_t value), which is not 0 when it comes out
        .globl  __pexe_longjmp
        .type   __pexe_longjmp, @function
__pexe_longjmp:
        movl    4(%esp), %ecx
        movl    8(%esp), %eax
        testl   %eax, %eax
        jne     1f
        incl    %eax
1:      movl    8(%ecx), %ebx
        movl    12(%ecx), %ebp
        movl    16(%ecx), %esi
        movl    20(%ecx), %edi
        movl    4(%ecx), %esp
        jmpl    *(%ecx)
        .size   __pexe_longjmp, . - __pexe_longjmp

        .section .note.GNU-stack, "", @progbits
