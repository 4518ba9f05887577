/* Inline assembly that needs an assembler: labels, symbols, sections, assembly of the module. */
#include <stdint.h>
#include <stdio.h>
__asm__(".text\n.globl helper\n.type helper,@function\nhelper:\n leal 1(%rdi,%rsi,2), %eax\n ret\n.size helper,.-helper\n");
int helper(int,int);
static int counter = 41;
static int sum(const int *p, long n) {
    int s=0;
    __asm__ volatile("1: addl (%1), %0\n add $4,%1\n dec %2\n jnz 1b" : "+r"(s),"+r"(p),"+r"(n)::"cc","memory");
    return s;
}
static uint64_t rd(void) {
    uint32_t lo,hi;
    __asm__ volatile("rdtscp":"=a"(lo),"=d"(hi)::"rcx");
    return ((uint64_t)hi<<32)|lo;
}
static int* getaddr(void){ int*p; __asm__("lea %c1(%%rip), %0":"=r"(p):"i"(&counter)); return p;}
__attribute__((noinline,used)) static int callee(int x){ return x*3;}
static int docall(int x) {
    int r;
    __asm__ volatile("sub $128,%%rsp\n call %P1\n add $128,%%rsp":"=a"(r):"i"(callee),"D"(x):"rcx","rdx","rsi","r8","r9","r10","r11","memory","cc");
    return r;
}
static int gotos(int x) {
    __asm__ goto("testl %0,%0; jz %l[zero]; js %l2"::"r"(x)::zero,neg);
    return 1;
    zero: return 0;
    neg: return -1;
}
static int table(int i) {
    int r;
    __asm__(".pushsection .rodata\n.Ltab%=: .long 10,20,30\n.popsection\nlea .Ltab%=(%%rip),%%rcx\n movl (%%rcx,%1,4),%0":"=r"(r):"r"((long)i):"rcx");
    return r;
}
static int many(int a,int b,int c,int d,int e,int f) {
    int o1,o2,o3,o4,o5,o6;
    __asm__("lea 1(%q6),%0; lea 1(%q7),%1; lea 1(%q8),%2; lea 1(%q9),%3; lea 1(%q10),%4; lea 1(%q11),%5": "=&r"(o1),"=&r"(o2),"=&r"(o3),"=&r"(o4),"=&r"(o5),"=&r"(o6):"r"(a),"r"(b),"r"(c),"r"(d),"r"(e),"r"(f));
    return o1+o2*2+o3*3+o4*4+o5*5+o6*6;
}
static int xm(void){ int r; __asm__("movl %1, %0\n.if 1\n nop\n.endif":"=r"(r):"m"(counter)); return r;}
static int bp(int x){ int r; __asm__ volatile("movl %1,%%ebp\n leal 5(%%rbp),%0":"=r"(r):"r"(x):"rbp"); return r;}
static int r11v(int x) {
    int r;
    register int y __asm__("r11")=x;
    __asm__ volatile("leal 7(%q1),%%r11d\n mov %%r11d,%0":"=r"(r),"+r"(y));
    return r+y;
}
static __int128 mulx(uint64_t a,uint64_t b){ __int128 r; __asm__("mulq %2":"=A"(r):"a"(a),"r"(b)); return r;}
static float fx(float a){ float r; __asm__("sqrtss %1,%0":"=x"(r):"xm"(a)); return r;}
static unsigned char hb(unsigned v){ unsigned char r; __asm__("movb %h1,%0":"=q"(r):"Q"(v)); return r;}
int main() {
    int a[]={1,2,3,4};
    printf("%d\n",helper(3,4));
    printf("%d\n",sum(a,4));
    printf("%d\n",rd()!=0);
    printf("%d\n",*getaddr());
    printf("%d\n",docall(5));
    printf("%d %d %d\n",gotos(5),gotos(0),gotos(-5));
    printf("%d %d\n",table(0),table(2));
    printf("%d\n",many(1,2,3,4,5,6));
    printf("%d\n",xm());
    printf("%d\n",bp(3));
    printf("%d\n",r11v(3));
    printf("%lx\n",(long)(mulx(1ul<<63,6)>>64));
    printf("%g\n",fx(2));
    printf("%x\n",hb(0x1234));
    return 0;
}
