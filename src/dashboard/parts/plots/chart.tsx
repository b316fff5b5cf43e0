/** A bar chart over time with axes, gridlines and values at the pointer. All charts have their baseline at the bottom. */
import type { Child } from 'hono/jsx/dom'
import { language, locale } from '../../language.js'
import { useState } from '../../store/hooks.js'

export interface Series {
  name: string
  tone: 'in' | 'out' | 'ok' | 'bad'
  /** One for each span. */
  values: readonly number[]
  /** Says a value at the pointer (default: the number). */
  text?: (index: number) => Child
}

export interface ChartSpan {
  key: string
  /** On the axis: short. */
  tick: string
  /** At the pointer. */
  title: string
}

interface ChartProps {
  /** Describes the chart for screen readers. */
  label: string
  spans: readonly ChartSpan[]
  series: readonly Series[]
  /** One bar on the other, not side by side. */
  stacked?: boolean
  unit?: string
  /** From the first span, every so many have a tick (default: a few, from the last span). */
  every?: number
  /** Shown instead of bars if every value is zero. */
  empty?: Child
}

const compact = new Intl.NumberFormat(language === 'en' ? 'en' : locale, {
  notation: 'compact',
  maximumFractionDigits: 3,
})
const gridlines = 3
/** About this many dates stand on the axis. */
const dates = 5

const middleOf = (index: number, spans: number) => `${((index + 0.5) / spans) * 100}%`

/** Round values from zero to at least `max`. */
function ticksUpTo(max: number): number[] {
  if (max === 0) return [0]
  const rough = max / gridlines
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 2.5, 5].find((factor) => factor * power >= rough) ?? 10)
  return Array.from({ length: Math.ceil(max / step - 1e-9) + 1 }, (_, index) => index * step)
}

export const Chart = ({ label, spans, series, stacked = false, unit = '', empty, every }: ChartProps) => {
  const heights = spans.map((_, index) => {
    const values = series.map((one) => one.values[index] ?? 0)
    return stacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values)
  })
  const ticks = ticksUpTo(Math.max(0, ...heights))
  const top = ticks.at(-1) || 1
  const last = spans.length - 1
  const hasTick = (index: number) =>
    every === undefined ? (last - index) % Math.ceil(spans.length / dates) === 0 : index % every === 0
  return (
    <div class="chart">
      <div class="chart-values num" aria-hidden="true">
        {ticks.map((tick) => (
          <span key={String(tick)} style={{ bottom: `${(tick / top) * 100}%` }}>
            {compact.format(tick)} {unit}
          </span>
        ))}
      </div>
      <Plot {...{ label, spans, series, stacked, unit, ticks, top }} />
      {heights.every((height) => height === 0) && empty !== undefined ? <p class="chart-empty">{empty}</p> : null}
      <div class="chart-dates num" aria-hidden="true">
        {spans.map(({ key, tick }, index) =>
          hasTick(index) ? (
            <span key={key} style={index === last ? { right: '0' } : { left: middleOf(index, spans.length) }}>
              {tick}
            </span>
          ) : null,
        )}
      </div>
    </div>
  )
}

interface PlotProps extends Required<Omit<ChartProps, 'empty' | 'every'>> {
  ticks: readonly number[]
  top: number
}

const Plot = ({ label, spans, series, stacked, unit, ticks, top }: PlotProps) => {
  const [at, point] = useState<number | null>(null)
  const follow = ({ currentTarget, clientX }: PointerEvent) => {
    if (!(currentTarget instanceof HTMLElement)) return
    const { left, width } = currentTarget.getBoundingClientRect()
    point(Math.max(0, Math.min(spans.length - 1, Math.floor(((clientX - left) / width) * spans.length))))
  }
  const keys = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    point(((at ?? (step > 0 ? -1 : spans.length)) + step + spans.length) % spans.length)
  }
  return (
    <div
      class="chart-plot"
      role="img"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read the values
      tabIndex={0}
      onPointerMove={follow}
      onPointerLeave={() => point(null)}
      onBlur={() => point(null)}
      onKeyDown={keys}
    >
      <svg viewBox={`0 0 ${spans.length} ${top}`} preserveAspectRatio="none" aria-hidden="true">
        {ticks.map((tick) => (
          <line key={String(tick)} class="gridline" x1={0} x2={spans.length} y1={top - tick} y2={top - tick} />
        ))}
        {at === null ? null : <rect class="chart-at" x={at} width={1} height={top} />}
        {spans.map(({ key }, index) => (
          <BarsOf key={key} {...{ index, series, stacked, top }} />
        ))}
      </svg>
      {at === null ? null : <Values {...{ at, spans, series, unit }} />}
    </div>
  )
}

interface BarsOfProps extends Required<Pick<ChartProps, 'series' | 'stacked'>> {
  index: number
  top: number
}

/** The bars of one span, which is one drawing unit wide. */
const BarsOf = ({ index, series, stacked, top }: BarsOfProps) => {
  const width = stacked ? 0.7 : 0.7 / series.length
  let below = 0
  return (
    <>
      {series.map(({ name, tone, values }, place) => {
        const value = values[index] ?? 0
        const y = top - value - below
        if (stacked) below += value
        const x = index + 0.15 + (stacked ? 0 : place * width)
        return <rect key={name} class={`bar ${tone}`} {...{ x, y, width, height: value }} />
      })}
    </>
  )
}

const Values = ({
  at,
  spans,
  series,
  unit,
}: Required<Pick<ChartProps, 'spans' | 'series' | 'unit'>> & { at: number }) => (
  <div
    class={`chart-tip${at >= spans.length / 2 ? ' before' : ''}`}
    role="status"
    style={{ left: middleOf(at, spans.length), '--left': `-${middleOf(at, spans.length)}` }}
  >
    <strong>{spans[at]?.title}</strong>
    {series.map(({ name, tone, values, text }) => (
      <span key={name} class={`key ${tone}`}>
        {name} <span class="num">{text?.(at) ?? `${values[at] ?? 0} ${unit}`}</span>
      </span>
    ))}
  </div>
)

/** The names of the series, each with a total. */
export const Legend = ({ series }: { series: readonly (Pick<Series, 'name' | 'tone'> & { total: Child })[] }) => (
  <span class="legend">
    {series.map(({ name, tone, total }) => (
      <span key={name} class={`key ${tone}`}>
        {name} <span class="num">{total}</span>
      </span>
    ))}
  </span>
)
