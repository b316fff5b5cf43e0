/** A bar plot with one baseline: incoming above, outgoing below, one bar for each time span. */

export interface Bar {
  key: string
  up: number
  down: number
  /** Text of the tooltip. */
  says: string
}

const height = 120
/** Width of a span in drawing units; the gap between bars is a part of it. */
const width = 10
/** Smallest height of a bar, so that it stays visible. */
const least = 1.5

/** `label` describes the plot for screen readers. */
export const Bars = ({ bars, label }: { bars: readonly Bar[]; label: string }) => {
  const top = Math.max(0, ...bars.map(({ up }) => up))
  const bottom = Math.max(0, ...bars.map(({ down }) => down))
  const whole = top + bottom === 0 ? 1 : top + bottom
  const line = (height * (top + bottom === 0 ? 1 : top)) / whole
  const barLength = (value: number) => (value === 0 ? 0 : Math.max(least, (height * value) / whole))
  return (
    <svg
      class="bars"
      role="img"
      aria-label={label}
      viewBox={`0 -2 ${bars.length * width} ${height + 4}`}
      preserveAspectRatio="none"
    >
      {bars.map(({ key, up, down, says }, index) => {
        const column = { x: index * width + 1.5, width: width - 3, rx: 1 }
        return (
          <g key={key}>
            <title>{says}</title>
            <rect class="bar-room" x={index * width} y={-2} width={width} height={height + 4} />
            <rect class="bar-up" {...column} y={line - barLength(up)} height={barLength(up)} />
            <rect class="bar-down" {...column} y={line} height={barLength(down)} />
          </g>
        )
      })}
      <line class="bar-line" x1={0} x2={bars.length * width} y1={line} y2={line} />
    </svg>
  )
}
