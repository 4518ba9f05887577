/* Inline assembly as kernels, libraries of big numbers and system headers write it. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef struct { int counter; } atomic_t;
#define LOCK_PREFIX "lock; "
static inline void atomic_add(int i, atomic_t *v) {
    asm volatile(LOCK_PREFIX "addl %1,%0" : "+m"(v->counter) : "ir"(i) : "memory");
}
static inline void atomic_inc(atomic_t *v){ asm volatile(LOCK_PREFIX "incl %0" : "+m"(v->counter) :: "memory"); }
static inline int atomic_dec_and_test(atomic_t *v) {
    unsigned char c;
    asm volatile(LOCK_PREFIX "decl %0; sete %1":"+m"(v->counter),"=qm"(c)::"memory");
    return c!=0;
}
static inline int atomic_sub_and_test(int i, atomic_t *v) {
    int c;
    asm volatile(LOCK_PREFIX "subl %2,%0":"+m"(v->counter),"=@ccz"(c):"er"(i):"memory");
    return c;
}
static inline unsigned long cmpxchg(volatile unsigned long *p, unsigned long o, unsigned long n) {
    unsigned long r;
    asm volatile(LOCK_PREFIX "cmpxchgq %2,%1":"=a"(r),"+m"(*p):"r"(n),"0"(o):"memory");
    return r;
}
static inline int cmpxchg16b(volatile __int128 *p, uint64_t ol, uint64_t oh, uint64_t nl, uint64_t nh) {
    unsigned char r;
    asm volatile("lock cmpxchg16b %0\n\tsetz %1":"+m"(*p),"=q"(r),"+a"(ol),"+d"(oh):"b"(nl),"c"(nh):"cc");
    return r;
}
static inline void set_bit(long nr, volatile unsigned long *a) {
    asm volatile(LOCK_PREFIX "btsq %1,%0":"+m"(*a):"Jr"(nr):"memory");
}
static inline int test_bit(long nr, const volatile unsigned long *a) {
    int o;
    asm volatile("btq %2,%1":"=@ccc"(o):"m"(*a),"Jr"(nr));
    return o;
}
static inline unsigned long ffs_(unsigned long w){ asm("rep; bsfq %1,%0":"=r"(w):"rm"(w)); return w; }
static inline unsigned long fls_(unsigned long w){ long r; asm("bsrq %1,%q0":"=r"(r):"rm"(w),"0"(-1)); return r; }
static inline unsigned swab(unsigned x){ asm("bswapl %0":"+r"(x)); return x; }
static inline unsigned rol(unsigned x, unsigned char n){ asm("roll %%cl,%0":"+r"(x):"c"(n)); return x; }
static inline unsigned ror5(unsigned x){ asm("rorl %1,%0":"=r"(x):"I"(5),"0"(x):"cc"); return x; }
static void *memcpy_(void *d, const void *s, size_t n) {
    void *r=d;
    asm volatile("rep movsb":"+D"(d),"+S"(s),"+c"(n)::"memory");
    return r;
}
static void memset_(void *d, int c, size_t n){ asm volatile("cld; rep; stosb":"+D"(d),"+c"(n):"a"(c):"memory"); }
static size_t strlen_(const char*s) {
    size_t r;
    const char *e;
    asm volatile("repne; scasb":"=c"(r),"=D"(e):"1"(s),"a"(0),"0"(-1L):"memory");
    return ~r-1;
}
#define mul_add(r,a,w,carry) do { uint64_t high,low; asm("mulq %3":"=a"(low),"=d"(high):"a"(w),"m"(a):"cc"); asm("addq %2,%0; adcq %3,%1":"+r"(carry),"+d"(high):"a"(low),"g"(0):"cc"); asm("addq %2,%0; adcq %3,%1":"+m"(r),"+d"(high):"r"(carry),"g"(0):"cc"); carry=high; } while(0)
static uint64_t bn_mul_add_words(uint64_t *rp, const uint64_t *ap, int num, uint64_t w) {
    uint64_t c1=0;
    while(num>0) {
    mul_add(rp[0],ap[0],w,c1);
    ap++;
    rp++;
    num--;
}
    return c1;
}
static uint64_t bn_add_words(uint64_t *rp,const uint64_t*ap,const uint64_t*bp,int n) {
    uint64_t ret;
    size_t i=0;
    asm volatile("subq %0,%0\n\tjmp 1f\n.p2align 4\n1: movq (%4,%2,8),%0\n\tadcq (%5,%2,8),%0\n\tmovq %0,(%3,%2,8)\n\tlea 1(%2),%2\n\tdec %1\n\tjnz 1b\n\tsbbq %0,%0\n":"=&r"(ret),"+c"(n),"+r"(i):"r"(rp),"r"(ap),"r"(bp):"cc","memory");
    return ret&1;
}
static uint16_t cs(void){ uint16_t r; asm("movw %%cs,%0":"=r"(r)); return r; }
static unsigned long flags(void){ unsigned long f; asm volatile("pushfq; popq %0":"=rm"(f)::"memory"); return f; }
static void* sp(void){ void*p; asm volatile("movq %%rsp,%0":"=r"(p)); return p; }
static long sys_getpid(void){ long r; asm volatile("syscall":"=a"(r):"0"(39):"rcx","r11","memory"); return r; }
static long sys6(long n,long a,long b,long c,long d,long e,long f) {
    long r;
    register long r10 asm("r10")=d;
    register long r8 asm("r8")=e;
    register long r9 asm("r9")=f;
    asm volatile("syscall":"=a"(r):"a"(n),"D"(a),"S"(b),"d"(c),"r"(r10),"r"(r8),"r"(r9):"rcx","r11","memory");
    return r;
}
static uint32_t crc32c(uint32_t c, uint8_t b){ asm("crc32b %1,%0":"+r"(c):"rm"(b)); return c; }
static double sq(double x){ double r; asm("sqrtsd %1,%0":"=x"(r):"x"(x)); return r; }
static long cvt(double x){ long r; asm("cvttsd2siq %1,%0":"=r"(r):"x"(x)); return r; }
static uint64_t fbits(double x){ uint64_t r; asm("movq %1,%0":"=r"(r):"x"(x)); return r; }
static uint64_t alts(uint64_t x){ uint64_t r; asm("mov %1,%0":"=r,m"(r):"rm,r"(x)); return r; }
static int nine(int a,int b,int c,int d,int e,int f,int g,int h,int i) {
    int r;
    asm("movl %1,%0; addl %2,%0; addl %3,%0; addl %4,%0; addl %5,%0; addl %6,%0; addl %7,%0; addl %8,%0; addl %9,%0":"=&r"(r):"r"(a),"r"(b),"r"(c),"r"(d),"r"(e),"r"(f),"r"(g),"r"(h),"r"(i));
    return r;
}
static int spill(int a,int b,int c,int d,int e,int f,int g,int h,int i,int j,int k,int l,int m,int n,int o) {
    int r;
    asm("xorl %0,%0; addl %1,%0; addl %2,%0; addl %3,%0; addl %4,%0; addl %5,%0; addl %6,%0; addl %7,%0; addl %8,%0; addl %9,%0; addl %10,%0; addl %11,%0; addl %12,%0; addl %13,%0; addl %14,%0; addl %15,%0":"=&r"(r):"g"(a),"g"(b),"g"(c),"g"(d),"g"(e),"g"(f),"g"(g),"g"(h),"g"(i),"g"(j),"g"(k),"g"(l),"g"(m),"g"(n),"g"(o));
    return r;
}
static int share(int a,int b,int c,int d,int e,int f,int g) {
    int p,q,r,s,t,u,v;
    asm("#no-op":"=r"(p),"=r"(q),"=r"(r),"=r"(s),"=r"(t),"=r"(u),"=r"(v):"0"(a),"1"(b),"2"(c),"3"(d),"4"(e),"5"(f),"6"(g));
    return p+2*q+3*r+4*s+5*t+6*u+7*v;
}
static int clob(int a) {
    int x=a*3,y=a*5,z=a*7;
    asm volatile("xorl %%ebx,%%ebx; xorl %%r12d,%%r12d; xorl %%r13d,%%r13d; xorl %%r14d,%%r14d; xorl %%r15d,%%r15d":::"rbx","r12","r13","r14","r15","cc");
    return x+y+z;
}
static int clobbp(int a,int b) {
    int x=a*3;
    asm volatile("xorl %%ebp,%%ebp; addl %1,%0":"+r"(x):"r"(b):"rbp","cc");
    return x;
}
static int gotoout(int x) {
    int r;
    asm goto("movl %1,%0; testl %1,%1; jz %l[z]":"=r"(r):"r"(x)::z);
    return r+1;
    z: return -r-100;
}
struct S{int a,b;}; static long smem(struct S s){ long r; asm("movq %1,%0":"=r"(r):"m"(s)); return r; }
static int arr(int *p,int i){ int r; asm("movl %1,%0":"=r"(r):"m"(p[i])); return r; }
extern int glob[4];
int glob[4]={5,6,7,8};
static int gm(int i) {
    int r;
    asm("movl %1,%0":"=r"(r):"m"(glob[2]));
    int q;
    asm("movl %1,%0":"=r"(q):"m"(glob[i]));
    return r*10+q;
}
static void store(int *p,int i,int v){ asm volatile("movl %1,%0":"=m"(p[i]):"r"(v)); }
/* Flags as outputs of a text that jumps, on both ways. */
__attribute__((noinline)) static int flags_and_jump(int x, int y) {
    int less, equal = 9;
    __asm__ goto("cmpl %3, %2; jg %l4" : "=@ccl"(less), "=@cce"(equal) : "r"(x), "r"(y) : : greater);
    return 10 * less + equal;
greater:
    return 100 + 10 * less + equal;
}
/* As in libyuv: the count may be in memory, and its size is said by its register only. */
__attribute__((noinline)) static void copy_row(const unsigned char *from, unsigned char *to, int width) {
    __asm__ volatile("1:\n\tmovdqu (%0), %%xmm0\n\tmovdqu %%xmm0, (%1)\n\tlea 16(%0), %0\n\tlea 16(%1), %1\n\t"
                     "sub $16, %2\n\tjg 1b"
                     : "+r"(from), "+r"(to), "+rm"(width)
                     :
                     : "memory", "cc", "xmm0");
}
__attribute__((noinline)) static int count_down(int *left, short *more) {
    __asm__ volatile("sub $3, %0\n\tinc %1" : "+rm"(*left), "+rm"(*more) : : "cc");
    return *left + *more;
}
int main() {
    unsigned char row[48] = "a row of 48 bytes, copied sixteen at a time.", copied[48];
    copy_row(row, copied, 48);
    int left = 10;
    short more = -1;
    printf("%s %d\n", copied, count_down(&left, &more));
    printf("%d %d\n", left, more);
    printf("%d %d %d\n", flags_and_jump(1, 2), flags_and_jump(2, 2), flags_and_jump(3, 2));
    atomic_t v={1};
    atomic_add(5,&v);
    atomic_inc(&v);
    printf("%d %d\n",v.counter,atomic_dec_and_test(&v));
    printf("%d\n",atomic_sub_and_test(6,&v));
unsigned long l=7;
printf("%lu %lu\n",cmpxchg(&l,7,9),l);
__int128 w __attribute__((aligned(16)))=((__int128)2<<64)|1;
printf("%d %d %lx\n",cmpxchg16b(&w,1,2,3,4),cmpxchg16b(&w,1,2,3,4),(long)(w>>64));
set_bit(5,&l);
printf("%lx %d %d\n",l,test_bit(5,&l),test_bit(6,&l));
printf("%lu %lu %ld\n",ffs_(0x50),fls_(0x50),fls_(0));
printf("%x %x %x\n",swab(0x11223344),rol(0x80000001,4),ror5(0x21));
char buf[32]; memset_(buf,'x',32); memcpy_(buf,"hello",6); printf("%s %c %zu\n",buf,buf[10],strlen_("four"));
uint64_t a[4]={~0ul,~0ul,1,2},r[4]={5,6,7,8},s[4];
uint64_t c=bn_mul_add_words(r,a,4,0x123456789abcdefful);
printf("%lx %lx %lx %lx %lx\n",r[0],r[1],r[2],r[3],c);
c=bn_add_words(s,a,r,4);
printf("%lx %lx %lx %lx %lx\n",s[0],s[1],s[2],s[3],c);
printf("%x %d %d %d %d\n",cs(),(int)((flags()>>1)&1),sp()!=0,sys_getpid()>0,sys6(9,0,4096,3,0x22,-1,0)>0);
printf("%x %g %ld %lx %lx\n",crc32c(5,7),sq(9),cvt(-7.5),fbits(1.5),alts(99));
printf("%d %d %d %d %d\n",nine(1,2,3,4,5,6,7,8,9),spill(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15),share(1,2,3,4,5,6,7),clob(3),clobbp(3,4));
printf("%d %d\n",gotoout(4),gotoout(0));
struct S st={1,2};
printf("%lx %d %d\n",smem(st),arr(glob,3),gm(1));
store(glob,1,42);
printf("%d\n",glob[1]);
return 0;
}
