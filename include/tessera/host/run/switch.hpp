// Switches from one stack to another in a few instructions.
//
// ELF systems on x86-64 and aarch64 use the assembly below; other systems use `ucontext`, which is about
// ten times slower. A program that defines TESSERA_HOST_UCONTEXT, in all of its files, uses `ucontext`
// everywhere.
#pragma once

#if !defined(TESSERA_HOST_UCONTEXT) && \
    !(defined(__ELF__) && defined(__LP64__) && (defined(__x86_64__) || defined(__aarch64__)))
#define TESSERA_HOST_UCONTEXT 1
#endif

#if defined(TESSERA_HOST_UCONTEXT)
#include <ucontext.h>
#else

#include <tessera/core/config.hpp>

// void tessera_host_switch(void** save, void* load) pushes the callee-saved registers, stores the stack
// pointer in *save, sets it to `load`, pops the same registers, and returns to where that stack was left.
// Its symbol carries the version, as the library's others do by their namespace.
#define TESSERA_HOST_SWITCH "tessera_host_switch_" TESSERA_TEXT(TESSERA_ABI)
extern "C" void tessera_host_switch(void** save, void* load) asm(TESSERA_HOST_SWITCH);

// The comdat section leaves one copy in the program, however many files include this header. Link-time optimization may
// put the assembly of several files into one, which defines the symbol once because of .ifndef.
// clang-format off
#define TESSERA_HOST_ASM(BODY)                                                                           \
  asm(".ifndef " TESSERA_HOST_SWITCH "\n"                                                                \
      ".pushsection .text." TESSERA_HOST_SWITCH ",\"axG\",%progbits," TESSERA_HOST_SWITCH ",comdat\n" \
      ".weak " TESSERA_HOST_SWITCH "\n"                                                                 \
      ".type " TESSERA_HOST_SWITCH ",%function\n"                                                       \
      ".balign 16\n"                                                                                    \
      TESSERA_HOST_SWITCH ":\n" BODY                                                                    \
      ".size " TESSERA_HOST_SWITCH ",.-" TESSERA_HOST_SWITCH "\n"                                       \
      ".popsection\n"                                                                                   \
      ".endif\n")
// clang-format on

#if defined(__x86_64__)
TESSERA_HOST_ASM(
    "  pushq %rbp\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  pushq %r13\n"
    "  pushq %r14\n"
    "  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n"
    "  popq %r14\n"
    "  popq %r13\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  popq %rbp\n"
    "  ret\n");
#else
TESSERA_HOST_ASM(
    "  sub sp, sp, #160\n"
    "  stp x19, x20, [sp, #0]\n"
    "  stp x21, x22, [sp, #16]\n"
    "  stp x23, x24, [sp, #32]\n"
    "  stp x25, x26, [sp, #48]\n"
    "  stp x27, x28, [sp, #64]\n"
    "  stp x29, x30, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n"
    "  stp d10, d11, [sp, #112]\n"
    "  stp d12, d13, [sp, #128]\n"
    "  stp d14, d15, [sp, #144]\n"
    "  mov x9, sp\n"
    "  str x9, [x0]\n"
    "  mov sp, x1\n"
    "  ldp x19, x20, [sp, #0]\n"
    "  ldp x21, x22, [sp, #16]\n"
    "  ldp x23, x24, [sp, #32]\n"
    "  ldp x25, x26, [sp, #48]\n"
    "  ldp x27, x28, [sp, #64]\n"
    "  ldp x29, x30, [sp, #80]\n"
    "  ldp d8, d9, [sp, #96]\n"
    "  ldp d10, d11, [sp, #112]\n"
    "  ldp d12, d13, [sp, #128]\n"
    "  ldp d14, d15, [sp, #144]\n"
    "  add sp, sp, #160\n"
    "  ret\n");
#endif
#undef TESSERA_HOST_ASM
#undef TESSERA_HOST_SWITCH
#endif
