//! Options of llc that change nothing in what Frazil makes: they say how LLVM makes code, not what the code means, or
//! what is told of it.
//!
//! The names are those of LLVM 22 (`llc --help-hidden`), those with `=` take a value, those with `=#` a number. They
//! are taken with one note that names all of them; values that llc refuses are refused. Options that only other
//! machines or `opt` look at are known by the first part of their names.

use super::table::Takes;

/// Why nothing changes, and the options.
const GROUPS: &[(&str, &str)] = &[
    ("how LLVM selects instructions", SELECTION),
    ("how LLVM allocates registers and lays out frames", REGISTERS),
    ("how LLVM orders and shortens code", ORDER),
    ("what LLVM checks and tells of itself", CHECKS),
    ("how LLVM writes debug information", DEBUG),
    ("how LLVM reads and writes assembly text", TEXT),
    ("a permission that is not made use of", PERMISSIONS),
    ("without effect for this machine in llc, too", ELSEWHERE),
];

/// The same by how names begin.
const FAMILIES: &[(&str, &str)] = &[
    ("without effect for this machine in llc, too", MACHINES),
    ("passes that llc does not run", PASSES),
];

/// Options whose value may be left out.
const MAY_HAVE_VALUE: &[&str] = &["enable-machine-outliner"];

/// The values of options that take one of a list.
const LISTS: &[(&str, &str)] = &[
    ("accel-tables", "Default Disable Apple Dwarf"),
    ("debugger-tune", "gdb lldb dbx sce"),
    ("disable-hoisting-to-hotter-blocks", "none pgo all"),
    ("dwarf-extended-loc", "Default Enable Disable"),
    ("dwarf-inlined-strings", "Default Enable Disable"),
    ("dwarf-linkage-names", "Default All Abstract"),
    ("dwarf-op-convert", "Default Enable Disable"),
    ("dwarf-sections-as-references", "Default Enable Disable"),
    (
        "enable-machine-outliner",
        "always optimistic-pgo conservative-pgo never",
    ),
    ("float-abi", "default soft hard"),
    ("fp-contract", "fast on off"),
    ("global-isel-abort", "0 1 2"),
    ("lsr-preferred-addressing-mode", "none preindexed postindexed all"),
    ("meabi", "default 4 5 gnu"),
    ("minimize-addr-in-v5", "Default Ranges Expressions Form Disabled"),
    (
        "misched",
        "default converge ilpmax ilpmin si gcn-max-occupancy gcn-max-ilp gcn-max-memory-clause gcn-iterative-max-occupancy-experimental gcn-iterative-minreg gcn-iterative-ilp r600 hexagon ppc-prera ppc-postra",
    ),
    ("misched-postra-direction", "topdown bottomup bidirectional"),
    ("misched-prera-direction", "topdown bottomup bidirectional"),
    (
        "pre-RA-sched",
        "vliw-td list-ilp list-hybrid source list-burr linearize fast default",
    ),
    ("regalloc", "pbqp greedy fast basic default"),
    ("regalloc-enable-advisor", "default release development"),
    ("regalloc-enable-priority-advisor", "default release development dummy"),
    ("regalloc-npm", "default pbqp fast basic greedy"),
    ("split-spill-mode", "default size speed"),
    ("thread-model", "posix single"),
    ("use-unknown-locations", "Default Enable Disable"),
];

/// What changes nothing, if that is so: why, and whether a value follows.
pub(super) fn harmless(name: &str) -> Option<(&'static str, Takes)> {
    for &(why, names) in GROUPS {
        for word in names.split(' ') {
            if word == name {
                return Some((why, Takes::Flag));
            }
            if word.trim_end_matches('#').strip_suffix('=') == Some(name) {
                let takes = if MAY_HAVE_VALUE.contains(&name) {
                    Takes::Anything
                } else {
                    Takes::Value
                };
                return Some((why, takes));
            }
        }
    }
    let mut families = FAMILIES.iter();
    let family = families.find(|(_, starts)| starts.split(' ').any(|start| name.starts_with(start)));
    family.map(|&(why, _)| (why, Takes::Anything))
}

/// What is wrong with the value of such an option, if it is none that llc takes.
pub(super) fn wrong_value(name: &str, value: &str) -> Option<String> {
    if let Some((_, values)) = LISTS.iter().find(|(option, _)| *option == name) {
        let is_one = values.split(' ').any(|one| one == value);
        return (!is_one).then(|| format!("`{value}` is none of its values: {}", values.replace(' ', ", ")));
    }
    let is_number = |word: &str| word.strip_suffix("=#") == Some(name);
    let wants_number = GROUPS.iter().any(|(_, names)| names.split(' ').any(is_number));
    (wants_number && value.parse::<f64>().is_err() && !value.starts_with("0x"))
        .then(|| format!("`{value}` is no number"))
}

/// All names, for suggestions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let words = GROUPS.iter().flat_map(|(_, names)| names.split(' '));
    words.map(|word| word.trim_end_matches(['=', '#']))
}

const SELECTION: &str = "\
     addr-sink-combine-base-gv addr-sink-combine-base-offs addr-sink-combine-base-reg addr-sink-combine-scaled-reg \
     addr-sink-new-phis addr-sink-new-select addr-sink-using-gep aggressive-ext-opt cgp-freq-ratio-to-skip-merge=# \
     cgp-icmp-eq2icmp-st cgp-max-address-users-to-scan=# cgp-optimize-phi-types cgp-split-large-offset-gep \
     cgp-type-promotion-merge cgp-verify-bfi-updates combiner-disabled combiner-global-alias-analysis \
     combiner-reduce-load-op-store-width combiner-reduce-load-op-store-width-force-narrowing-profitable \
     combiner-shrink-load-replace-store-with-store combiner-split-load-index combiner-store-merge-dependence-limit=# \
     combiner-store-merging combiner-stress-load-slicing combiner-tokenfactor-inline-limit=# combiner-use-tbaa \
     consthoist-gep consthoist-min-num-to-rebase=# consthoist-with-block-frequency disable-basic-aa disable-bswap \
     disable-cgp disable-cgp-branch-opts disable-cgp-delete-phis disable-cgp-ext-ld-promotion disable-cgp-gc-opts \
     disable-cgp-select2branch disable-cgp-store-extract disable-complex-addr-modes disable-constant-hoisting \
     disable-demotion disable-expand-reductions disable-fp-call-folding disable-interleaved-load-combine \
     disable-lsr disable-merge-into-combines disable-mergeicmps disable-partial-libcall-inlining \
     disable-replace-with-vec-lib disable-select-optimize disable-simplify-libcalls disable-strictnode-mutation \
     disable-type-promotion \
     disable-x86-domain-reassignment disable-x86-lea-opt enable-andcmp-sinking enable-cse-in-irtranslator \
     enable-cse-in-legalizer enable-memcpy-dag-opt enable-scoped-noalias enable-store-refinement enable-tbaa \
     enable-unsafe-globalsmodref-alias-results expand-div-rem-bits=# expand-fp-convert-bits=# fast-isel \
     fast-isel-abort=# fast-isel-report-on-fallback force-split-store global-isel global-isel-abort= \
     has-predecessor-max-steps=# isel-rebalance-addr jump-is-expensive jump-table-density=# ldstmemcpy-glue-max=# \
     likely-branch-weight=# lsr-complexity-limit=# lsr-drop-scaled-reg-for-vscale lsr-drop-solution \
     lsr-enable-vscale-immediates lsr-exp-narrow lsr-filter-same-scaled-reg lsr-insns-cost \
     lsr-preferred-addressing-mode= lsr-setupcost-depth-limit=# max-jump-table-size=# max-loads-per-memcmp=# \
     max-loads-per-memcmp-opt-size=# max-store-memcpy=# max-store-memmove=# max-store-memset=# \
     memcmp-num-loads-per-block=# min-bit-test-cmps=# min-jump-table-entries=# mul-constant-optimization \
     new-reg-bank-select optsize-jump-table-density=# predictable-branch-threshold=# restrict-statepoint-remat \
     select-opti-loop-cycle-gain-threshold=# select-opti-loop-gradient-gain-threshold=# \
     select-opti-loop-relative-gain-threshold=# speculate-one-expensive-inst speculate-unpredictables \
     stress-cgp-ext-ld-promotion stress-cgp-store-extract switch-peel-threshold=# unlikely-branch-weight=# \
     verbose-gisel-verify-legalizer-info x86-and-imm-shrink x86-br-merging-base-cost=# x86-br-merging-ccmp-bias=# \
     x86-br-merging-likely-bias=# x86-br-merging-unlikely-bias=# x86-disable-avoid-SFB x86-promote-anyext-load \
     x86-sfb-inspection-limit=# x86-use-fsrm-for-memcpy x86-widen-shift x86prelegalizercombiner-disable-rule= \
     x86prelegalizercombiner-only-enable-rule=";

const REGISTERS: &str = "\
     disable-2addr-hack disable-adv-copy-opt disable-copyprop disable-non-allocatable-phys-copy-opt \
     disable-phi-elim-edge-splitting disable-ra-fsprofile-loader disable-spill-fusing early-live-intervals \
     enable-ipra enable-local-reassign enable-shrink-wrap enable-shrink-wrap-region-split enable-spill-copy-elim \
     enable-subreg-liveness exhaustive-register-search greedy-regclass-priority-trumps-globalness \
     greedy-reverse-local-assignment hints-allow-reordering join-globalcopies join-liveintervals join-splitedges \
     large-interval-freq-threshold=# large-interval-size-threshold=# lcr-max-depth=# lcr-max-interf=# \
     mcp-use-is-copy-instr no-phi-elim-live-out-early-exit no-stack-coloring no-stack-slot-sharing \
     no-x86-call-frame-opt optimize-regalloc pbqp-coalescing phi-elim-split-all-critical-edges \
     protect-from-escaped-allocas rafast-ignore-missing-defs regalloc= regalloc-cheap-remat-weight=# \
     regalloc-copy-weight=# regalloc-csr-first-time-cost=# regalloc-enable-advisor= regalloc-enable-priority-advisor= \
     regalloc-evict-interactive-channel-base= regalloc-eviction-max-interference-cutoff=# \
     regalloc-expensive-remat-weight=# regalloc-load-weight=# regalloc-npm= \
     regalloc-priority-interactive-channel-base= regalloc-store-weight=# remat-pic-stub-load safe-stack-coloring \
     shrink-frame-limit=# split-spill-mode= split-threshold-for-reg-with-hint=# stack-symbol-ordering \
     stackcoloring-lifetime-start-on-first-use stress-regalloc= terminal-rule twoaddr-reschedule \
     undef-reg-clearance=# x86-disable-regalloc-hints-for-ndd x86-tile-ra x86-use-base-pointer";

const ORDER: &str = "\
     disable-cfi-fixup partial-reg-update-clearance=# use-segment-set-for-physregs use-tbaa-in-sched-mi \
     agg-antidep-debugdiv=# agg-antidep-debugmod=# aggressive-machine-cse align-all-blocks=# \
     align-all-nofallthru-blocks=# align-loops=# apply-ext-tsp-for-size avoid-speculation \
     block-placement-exit-block-bias=# block-placement-predecessor-limit=# branch-fold-placement \
     branch-hint-probability-threshold=# break-anti-dependencies= disable-block-placement disable-branch-fold \
     disable-early-ifcvt disable-early-taildup disable-hoisting-to-hotter-blocks= disable-ifcvt-diamond \
     disable-ifcvt-forked-diamond disable-ifcvt-simple disable-ifcvt-simple-false disable-ifcvt-triangle \
     disable-ifcvt-triangle-false disable-ifcvt-triangle-rev disable-layout-fsprofile-loader disable-machine-cse \
     disable-machine-dce disable-machine-licm disable-machine-sink disable-peephole disable-post-ra \
     disable-postra-machine-licm disable-postra-machine-sink disable-sched-critical-path disable-sched-cycles \
     disable-sched-hazard disable-sched-height disable-sched-live-uses disable-sched-physreg-join \
     disable-sched-reg-pressure disable-sched-stalls disable-sched-vrcycle disable-tail-duplicate \
     early-ifcvt-limit=# eif-limit=# eif-no-loop-exit enable-aa-sched-mi enable-branch-hint \
     enable-ext-tsp-block-placement enable-global-merge enable-if-conversion enable-linkonceodr-outlining \
     enable-machine-outliner= enable-misched enable-pipeliner enable-pipeliner-opt-size enable-post-misched \
     enable-tail-merge ext-tsp-apply-without-profile ext-tsp-block-placement-max-blocks=# fixup-byte-word-insts \
     force-precise-rotation-cost gc-empty-basic-blocks global-merge-all-const global-merge-group-by-use \
     global-merge-ignore-single-use global-merge-max-offset=# global-merge-min-data-size=# global-merge-on-const \
     global-merge-on-external hoist-cheap-insts hoist-const-loads ifcvt-branch-fold ifcvt-fn-start=# ifcvt-fn-stop=# \
     ifcvt-limit=# jump-inst-cost=# loop-to-cold-block-ratio=# machine-combiner-dump-subst-intrs \
     machine-combiner-inc-threshold=# machine-combiner-verify-pattern-order machine-outliner-reruns=# \
     machine-sink-bfi machine-sink-cycle-limit=# machine-sink-load-blocks-threshold=# \
     machine-sink-load-instrs-threshold=# machine-sink-split machine-sink-split-probability-threshold=# \
     max-bytes-for-alignment=# max-sched-reorder=# mc-relax-all mfs-count-threshold=# mfs-psi-cutoff=# mfs-split-ehcode \
     misched= misched-cluster misched-cyclicpath misched-dcpl misched-dump-schedule-trace \
     misched-dump-schedule-trace-col-header-width=# misched-dump-schedule-trace-col-width=# misched-fusion \
     misched-limit=# misched-postra misched-postra-direction= misched-prera-direction= misched-regpressure \
     misched-resource-cutoff=# misched-sort-resources-in-trace misched-verbose-level=# misfetch-cost=# \
     post-RA-scheduler postra-sched-debugdiv=# postra-sched-debugmod=# pre-RA-sched= precise-rotation-cost \
     sched-avg-ipc=# sched-high-latency-cycles=# sched-model-force-enable-intervals sched-preds-closer \
     sched-print-cycles sched-retval-optimization scheditins schedmodel sink-insts-to-avoid-spills \
     stress-early-ifcvt tail-dup-indirect-size=# tail-dup-limit=# tail-dup-placement \
     tail-dup-placement-aggressive-threshold=# tail-dup-placement-penalty=# tail-dup-placement-threshold=# \
     tail-dup-pred-size=# tail-dup-profile-percent-threshold=# tail-dup-size=# tail-dup-succ-size=# tail-dup-verify \
     tail-merge-size=# tail-merge-threshold=# triangle-chain-count=# x86-cmov-converter x86-cmov-converter-force-all \
     x86-cmov-converter-force-mem-operand x86-cmov-converter-threshold=# x86-early-ifcvt \
     x86-experimental-pref-innermost-loop-alignment=# x86-machine-combiner x86-pad-for-align \
     x86-pad-for-branch-align x86-pad-max-prefix-size=# x86-use-vzeroupper";

const CHECKS: &str = "\
     color crash-diagnostics-dir= disable-symbolication discard-value-names enable-legalize-types-checking \
     enable-new-pm fatal-warnings no-deprecated-warn rng-seed= sort-timers verify-analysis-invalidation \
     verify-assumption-cache verify-cfiinstrs verify-coalescing verify-dom-info verify-loop-info verify-loop-lcssa \
     verify-machine-dom-info verify-memoryssa verify-misched verify-noalias-scope-decl-dom verify-predicateinfo \
     verify-regalloc verify-region-info verify-scev verify-scev-strict";

const DEBUG: &str = "\
     accel-tables= add-linkage-names-to-declaration-call-origins debug-ata-coalesce-frags debug-ata-max-blocks=# \
     debug-entry-values debugger-tune= disable-auto-upgrade-debug-info dwarf-directory dwarf-extended-loc= \
     dwarf-inlined-strings= dwarf-linkage-names= dwarf-op-convert= dwarf-sections-as-references= \
     dwarf-use-key-instructions dwarf-version=# dwarf64 emit-call-site-info emit-func-debug-line-table-offsets \
     emulate-old-livedebugvalues experimental-debug-variable-locations force-instr-ref-livedebugvalues \
     live-debug-variables livedebugvalues-input-bb-limit=# \
     livedebugvalues-input-dbg-value-limit=# livedebugvalues-max-stack-slots=# minimize-addr-in-v5= mir-debug-loc \
     no-discriminators no-dwarf-ranges-section split-dwarf-cross-cu-references strict-dwarf \
     trim-var-locs use-dwarf-ranges-base-address-specifier use-gnu-debug-macro use-unknown-locations=";

const TEXT: &str = "\
     asm-macro-max-nesting-depth=# incremental-linker-compatible no-integrated-as preserve-as-comments \
     use-leb128-directives";

const PERMISSIONS: &str = "\
     enable-no-infs-fp-math enable-no-nans-fp-math enable-no-signed-zeros-fp-math enable-no-trapping-fp-math \
     fp-contract= limit-float-precision=# no-trap-after-noreturn thread-model=";

const ELSEWHERE: &str = "\
     argext-abi-check disable-atexit-based-global-dtor-lowering disable-cleanups emit-compact-unwind-non-canonical \
     fdpic float-abi= gpsize=# ignore-xcoff-visibility implicit-mapsyms meabi= mxcoff-roptr no-type-check \
     old-thumb2-ifcvt stackmap-version=# target-abi= tls-size=# unique-basic-block-section-names vec-extabi \
     x86-wineh-unwindv2-force-mode=# x86-wineh-unwindv2-max-unwind-codes=# xcoff-traceback-table xray-function-index";

const MACHINES: &str = "\
     aarch64- amdgpu- amdhsa- arm- avr- bpf- csky- enable-aarch64- enable-amdgpu- enable-arm- enable-hexagon- \
     disable-arm- disable-bpf- disable-hexagon- disable-lanai- disable-mips- disable-nvptx- disable-ppc- \
     disable-riscv- disable-sparc- disable-wasm- emscripten- enable-emscripten- enable-ppc- hexagon- lanai- loongarch- \
     m68k- mips- mips16- msp430- mve- nvptx- nvvm- ppc- r600- riscv- sparc- spirv- spv- sve- systemz- thumb- wasm- \
     xcore- xtensa-";

const PASSES: &str = "\
     aggressive-instcombine- asan- attributor- constraint-elimination- coro- dfsan- dse- earlycse- \
     enable-gvn- enable-loop- enable-lto- force-target- force-vector- funcspec- gvn- hwasan- icp- indvars- inline- \
     inlinehint- instcombine- iroutliner- jump-threading- licm- loop- lto- memprof- memssa- mergefunc- msan- newgvn- \
     openmp- pgo- polly- sample-profile- sccp- scev- scalar-evolution- simplifycfg- slp- sroa- thinlto- tsan- unroll- \
     unswitch- vectorize- vplan- wholeprogramdevirt-";
