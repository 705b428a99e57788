// The style sheet of a trace's picture. Every color has a second value for dark backgrounds.
#pragma once

#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

inline const char* svg_style() {
  return R"(text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', )"
         R"(monospace; fill: #1f2328 }
.name { font-weight: 700; font-size: 13px }
.mid { font-size: 11px; text-anchor: middle }
.small { font-size: 9px; text-anchor: middle }
.tiny { font-size: 7.5px; text-anchor: middle }
.label { font-size: 11px; text-anchor: end; fill: #656d76 }
.site { text-anchor: end; fill: #0b5cad }
.dim { fill: #656d76 }
.bad { font-weight: 700; fill: #b3151f }
.page { fill: #fff }
.call { fill: #f4f6f8 }
.tile { fill: #d9e8fb; stroke: #8fb4e3 }
.result { fill: #d7f2dd; stroke: #7cc08d }
.memory { fill: #f3e3fb; stroke: #c39ddb }
.off { fill: #e6e8eb }
.rest { fill: #e6e8eb; stroke: #aab2bb }
.bad-lanes { fill: #fbdfe0; stroke: #d1242f }
.fault { stroke: #d1242f; stroke-width: 2 }
.life { stroke: #d5dae0 }
.warp { stroke: #aab2bb; stroke-dasharray: 2 3 }
.bracket { fill: none; stroke: #8c959f }
.up { fill: none; stroke: #1769d2; stroke-width: 1.3; marker-end: url(#u) }
.down { fill: none; stroke: #c2570c; stroke-width: 1.3; marker-end: url(#d) }
.many { stroke-width: .6; opacity: .6; marker-end: none }
.u { fill: #1769d2 }
.d { fill: #c2570c }
.yes { fill: #1a7f37; stroke: #1a7f37 }
.no { fill: #fff; stroke: #8c959f }
.barrier { stroke: #7a3fc4; stroke-width: 4; stroke-linecap: round }
.key { stroke: #8c959f }
.k0 { fill: #cfe3fb } .k1 { fill: #fde2c4 } .k2 { fill: #d5f0d8 } .k3 { fill: #ecdcf8 }
.k4 { fill: #fad7dc } .k5 { fill: #cdeeee } .k6 { fill: #f4efb9 } .k7 { fill: #e3ded6 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.label, .dim { fill: #9aa4af }
.site { fill: #79b8ff }
.bad { fill: #ff7b72 }
.page { fill: #0d1117 }
.call { fill: #161b22 }
.tile { fill: #1b3355; stroke: #3d6aa8 }
.result { fill: #173a22; stroke: #2f7a44 }
.memory { fill: #35214a; stroke: #7e57a8 }
.off { fill: #22272e }
.rest { fill: #22272e; stroke: #57606a }
.bad-lanes { fill: #4b1a1f; stroke: #ff7b72 }
.fault { stroke: #ff7b72 }
.life { stroke: #2b323b }
.warp { stroke: #57606a }
.bracket { stroke: #768390 }
.up { stroke: #6cb2ff }
.down { stroke: #ffa657 }
.u { fill: #6cb2ff }
.d { fill: #ffa657 }
.yes { fill: #3fb950; stroke: #3fb950 }
.no { fill: #0d1117; stroke: #768390 }
.barrier { stroke: #b78af0 }
.key { stroke: #768390 }
.k0 { fill: #1f3f66 } .k1 { fill: #5c3a14 } .k2 { fill: #1f4a2a } .k3 { fill: #432a5c }
.k4 { fill: #5a2530 } .k5 { fill: #174848 } .k6 { fill: #4d4713 } .k7 { fill: #3b3833 }
}
)";
}

}  // namespace host::detail
TESSERA_NAMESPACE_END
