"""The two places of the headers that compilers got wrong, as they were: mutants that only a compiler for GPUs can kill.

docs/explanation/compilers-faults.md tells of them. `plain_kernels` must find both on a GPU, and check_loops.py in PTX.
"""
import pathlib
import re
import shutil

FAULTS = [
    ('core/count.hpp', """
    auto const wide = detail::widened(n);
    return wide < 0 ? 0 : static_cast<count_t<Integer>>(wide);
""", """
    if (n < Integer{0}) return 0;
    return static_cast<count_t<Integer>>(n);
"""),
    ('group/multi_warp_group.hpp', """
      unsigned slot = 0;
      TESSERA_LOOP
      for (unsigned steps = window / together; steps != 0; --steps) {
        stl::uint32_t bits = 0;
        for (unsigned i = 0; i < together; ++i)
          bits |= stl::uint32_t{detail::same_bits(x, storage.read(slot + i))} << i;
        same = detail::with_next_lanes<together>(same, bits);
        slot += together;
      }
""", """
      TESSERA_LOOP
      for (unsigned slot = 0; slot < window; slot += together) {
        stl::uint32_t bits = 0;
        for (unsigned i = 0; i < together; ++i)
          bits |= stl::uint32_t{detail::same_bits(x, storage.read(slot + i))} << i;
        unsigned const from = (rounds - left) * window + slot;
        TESSERA_UNROLL
        for (unsigned w = 0; w < warps; ++w) {
          stl::uint32_t const old = same.word(w);
          same.set_word(w, w == from / 32 ? old | bits << (from % 32) : old);
        }
      }
"""),
]


def write_headers(include, to):
    """Copies the headers, with the faults."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(include, to)
    for name, new, old in FAULTS:
        path = pathlib.Path(to) / 'tessera' / name
        pattern = r'\s+'.join(re.escape(word) for word in new.split())
        text, found = re.subn(pattern, lambda _: old.strip(), path.read_text())
        if found != 1:
            raise SystemExit(f'{name} is no longer what faults.py replaces')
        path.write_text(text)
