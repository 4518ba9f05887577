/* Inline assembly that Frazil encodes by its own table. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static inline void cpuid(unsigned l, unsigned s, unsigned *a, unsigned*b, unsigned*c, unsigned*d){
  __asm__ volatile("cpuid":"=a"(*a),"=b"(*b),"=c"(*c),"=d"(*d):"a"(l),"c"(s));
}
static uint64_t divq(uint64_t hi, uint64_t lo, uint64_t d, uint64_t *r){
  uint64_t q; __asm__("divq %4":"=a"(q),"=d"(*r):"0"(lo),"1"(hi),"r"(d):"cc"); return q; }
static unsigned cm(unsigned a, unsigned b, unsigned c) {
    __asm__("cmp %1, %2\ncmova %3, %0\n":"+r"(a):"r"(b),"r"(c),"r"(7));
    return a;
}
static int xchg(int *p, int v){ __asm__ volatile("xchgl %0,%1":"=r"(v),"+m"(*p):"0"(v):"memory"); return v;}
static int add(int *p, int v){ __asm__ volatile("lock; xaddl %0,%1":"+r"(v),"+m"(*p)::"memory","cc"); return v;}
static unsigned bs(unsigned v){ __asm__("bswap %0":"+r"(v)); return v;}
static int flag(unsigned a, unsigned b){ int c; __asm__("subl %2, %0":"+r"(a),"=@ccc"(c):"r"(b)); return c*2+(a==3);}
static double ad(double a, double b){ __asm__("addsd %1,%0":"+x"(a):"x"(b)); return a;}
static int loop(int n) {
    int r=0;
    for(int i=0;i<n;i++) {
    __asm__ volatile(".p2align 5");
    r+=i;
    __asm__ volatile("nop");
    __asm__ volatile("":"+r"(r));
}
    return r;
}
int main() {
    unsigned a,b,c,d;
    char s[13]={0};
    cpuid(0,0,&a,&b,&c,&d);
    memcpy(s,&b,4);
    memcpy(s+4,&d,4);
    memcpy(s+8,&c,4);
 puts(s); uint64_t r; printf("%lu ",divq(1,5,7,&r)); printf("%lu\n",r);
 printf("%u %u\n",cm(1,2,3),cm(1,3,2)); int x=5; printf("%d %d\n",xchg(&x,9),x); printf("%d %d\n",add(&x,3),x);
printf("%x\n",bs(0x12345678));
printf("%d %d\n",flag(1,2),flag(5,2));
printf("%g\n",ad(1.5,2));
printf("%d\n",loop(10));
 __asm__ volatile("pause"); __asm__ volatile("mfence":::"memory"); return 0;}
