"""A bar chart as SVG, on a logarithmic scale."""

from __future__ import annotations

from html import escape
from math import ceil, floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

WIDTH, LABELS, ROW, MARGIN = 900, 290, 26, 24


def bars(values: Mapping[str, float], unit: str) -> str:
    """Return a chart of positive values, one bar each; every power of ten has a line."""
    low, high = floor(log10(min(values.values()))), ceil(log10(max(values.values())))
    step = (WIDTH - LABELS - 4 * MARGIN) / max(high - low, 1)
    bottom = MARGIN + ROW * len(values)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 2 * MARGIN}">',
        "<style>text { font: 13px sans-serif }</style>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for power in range(low, high + 1):
        x = LABELS + (power - low) * step
        parts.append(f'<path d="M{x:.1f} {MARGIN}V{bottom}" stroke="#ccc"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{10.0**power:g}</text>')
    for n, (name, value) in enumerate(values.items()):
        y, length = MARGIN + n * ROW, (log10(value) - low) * step
        parts.append(f'<text x="{LABELS - 8}" y="{y + 17}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<rect x="{LABELS}" y="{y + 4}" width="{length:.1f}" height="{ROW - 8}" fill="#37a"/>')
        parts.append(f'<text x="{LABELS + length + 5:.1f}" y="{y + 17}">{value:,.3g}</text>')
    parts.append(f'<text x="{LABELS}" y="{bottom + 36}">{escape(unit)}, logarithmic</text></svg>\n')
    return "\n".join(parts)
