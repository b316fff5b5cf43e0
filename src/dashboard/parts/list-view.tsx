/** List views: each is described by its route, filters and columns, and rendered here. */
import { type Child, type FC, useRef } from 'hono/jsx/dom'
import { attempt } from '../store/commands.js'
import { useState } from '../store/hooks.js'
import {
  type CountedType,
  countOfVerdict,
  countText,
  type Filter,
  type ListFilter,
  type ListRoute,
  type RowOf,
  useCounts,
  useList,
} from '../store/query.js'
import { link, type Route } from '../store/route.js'
import type { PreviewProps } from './detail-view.js'
import { Filters, isFiltered, isRefused, Offers, Pager, queryOf, rowsText } from './filters.js'
import { Button } from './forms/controls.js'
import { Head, Loaded, Panel } from './layout.js'
import { type Selection, Table, type TableSpec } from './table.js'

interface Bulk<Row> {
  /** The button, which acts on all selected rows. */
  label: string
  /** Says what rows are selected for. */
  hint: string
  run: (rows: readonly Row[]) => Promise<unknown>
}

interface ListSpec<Source extends ListRoute> {
  source: Source
  title: string
  /** Said if no row fits the filters. */
  noMatch: string
  /** The kinds of change after which the list is read again. */
  watch: readonly string[]
  filters: readonly ListFilter<Source>[]
  /** The kinds of object in the list, if their statuses are counted. */
  counted?: readonly CountedType[]
  table: TableSpec<RowOf<Source>>
  /** Makes the rows selectable. */
  bulk?: Bulk<RowOf<Source>>
  /** Shows the chosen row beside the list, where there is room. */
  preview?: FC<PreviewProps>
  /** Whether the first row is shown until another is chosen. */
  previewsFirst?: (route: Route) => boolean
  /** Shown if there are no rows at all. */
  empty: FC
  /** Buttons in the head of the view. */
  tools?: Child
}

export function listView<Source extends ListRoute>(spec: ListSpec<Source>): FC<{ route: Route }> {
  const { source, title, noMatch, watch, filters, counted, table, bulk, preview: Preview, empty: Nothing, tools } = spec
  return ({ route }) => {
    const answer = useList(source, route, filters, watch)
    const page = isRefused(filters, answer.error) ? noRows : answer
    const rows = page.data?.data ?? []
    const selection = useSelection(rows.map(table.keyOf))
    const address = route.query.toString()
    /** The row that was chosen at an address; empty: the preview was closed. */
    const [choice, choose] = useState<{ address: string; key: string | null }>({ address, key: null })
    const first = spec.previewsFirst?.(route) === true && rows[0] !== undefined ? table.keyOf(rows[0]) : null
    // An action can take the chosen row out of the list; it stays beside it.
    const previewed = (choice.address === address ? choice.key : null) ?? first
    const show = (key: string) => choose({ address, key })
    /** Once a row is shown beside the list, it follows the focus. */
    const follow = ({ target }: Event) => {
      const key = target instanceof Element ? target.closest('tr')?.dataset.key : undefined
      if (key !== undefined && previewed) show(key)
    }
    /** Where there is room, a click shows the row; Enter and the preview's button open its page. */
    const open = (event: MouseEvent) => {
      if (Preview === undefined || !besideList.matches || !(event.target instanceof Element)) return
      if (previewed && event.target.closest('.sticky') !== null) return show(previewed)
      if (!isPlainRowClick(event)) return
      event.preventDefault()
      show(event.target.closest('tr')?.dataset.key ?? '')
    }
    const select = bulk === undefined ? undefined : selection
    return (
      <>
        <Head title={title}>
          {bulk === undefined || rows.length === 0 ? tools : <span class="faint small">{bulk.hint}</span>}
        </Head>
        <ListFilters {...{ route, filters, counted, rows }} />
        <div class={previewed ? 'columns preview' : ''} onFocusCapture={follow} onClickCapture={open}>
          <Panel flush>
            <Paged
              {...{ route, noMatch, page, counted, empty: <Nothing /> }}
              offers={<NewestOffers {...{ source, route, filters }} />}
              show={(found) => (
                <Table {...table} {...{ rows: found, selection: select }} shown={previewed ?? undefined} />
              )}
            />
          </Panel>
          {Preview !== undefined && previewed ? (
            <Preview key={previewed} id={previewed} close={() => show('')} />
          ) : null}
        </div>
        {bulk === undefined ? null : (
          <BulkBar
            bulk={bulk}
            selection={selection}
            count={rows.length}
            rows={rows.filter((row) => selection.chosen.has(table.keyOf(row)))}
          />
        )}
      </>
    )
  }
}

const noRows = { data: { data: [], next: null }, error: undefined }

const NewestOffers = ({ source, ...more }: { source: ListRoute; route: Route; filters: readonly Filter[] }) => (
  <Offers {...more} rows={useList(source, { parts: [], query: new URLSearchParams() }, [], []).data?.data ?? []} />
)

/** Where list and preview stand side by side. */
export const besideList = matchMedia('(min-width: 70.1rem)')

/** A click without a key; Enter on a link is a click without a count. */
const isPlainRowClick = ({ target, detail, ctrlKey, metaKey, shiftKey }: MouseEvent) =>
  detail > 0 && !(ctrlKey || metaKey || shiftKey) && target instanceof Element && target.closest('.row-link') !== null

interface ListFiltersProps {
  route: Route
  filters: readonly Filter[]
  rows: readonly unknown[]
  counted: readonly CountedType[] | undefined
}

const ListFilters = ({ route, filters, counted, rows }: ListFiltersProps) =>
  filters.length === 0 ? null : counted === undefined ? (
    <Filters {...{ route, filters, rows }} />
  ) : (
    <CountedFilters {...{ route, filters, counted, rows }} />
  )

/** Keeps the place of a count that is not known yet. */
const figureSpace = '\u2007'

/** Counts are by kind, status and verdict, so another filter hides them: null then. */
function useCountOf(route: Route, counted: readonly CountedType[]): ((query: Record<string, string>) => string) | null {
  const { data, error } = useCounts()
  const { type, status: _status, verdict: _verdict, after: _after, ...others } = queryOf(route)
  const types = counted.filter((one) => type === undefined || one === type)
  const unread = error === undefined ? figureSpace : ''
  return Object.keys(others).length > 0
    ? null
    : ({ status, verdict }) =>
        (data === undefined ? unread : countText(data.data, types, status, countOfVerdict(verdict))) || '–'
}

const CountedFilters = ({ route, filters, counted = [], rows }: ListFiltersProps) => {
  const countOf = useCountOf(route, counted)
  return (
    <Filters
      {...{ route, filters, rows }}
      count={(name, choice) =>
        countOf?.(choice === undefined ? {} : { ...filters.find((one) => one.name === name)?.also, [name]: choice }) ??
        null
      }
    />
  )
}

/** `25 of 434` */
const RowsOf = ({ route, counted, count }: { route: Route; counted: readonly CountedType[]; count: number }) => {
  const total = useCountOf(route, counted)?.(queryOf(route)) ?? ''
  return rowsText(count, total)
}

interface BulkBarProps<Row> {
  bulk: Bulk<Row>
  selection: Selection
  /** Number of rows on the page. */
  count: number
  /** The selected ones. */
  rows: readonly Row[]
}

function BulkBar<Row>({ bulk, selection, count, rows }: BulkBarProps<Row>) {
  const run = () => {
    selection.chooseAll(false)
    // Oldest first, as they were sent before.
    return bulk.run(rows.toReversed())
  }
  return rows.length === 0 ? null : (
    <section class="bulk" aria-label="Selected rows">
      <strong class="num">{rows.length} selected</strong>
      <Button tone="primary" onClick={() => attempt(run)}>
        {bulk.label} {rows.length}
      </Button>
      <Button title="Select all rows of this page" onClick={() => selection.chooseAll(true)}>
        All {count}
      </Button>
      <Button onClick={() => selection.chooseAll(false)}>None</Button>
    </section>
  )
}

interface PagedProps<Row> {
  route: Route
  noMatch: string
  page: ReturnType<typeof useList<ListRoute, Row>>
  show: (rows: readonly Row[]) => Child
  empty: Child
  /** What is said, and offered, if nothing fits the filters. */
  offers?: Child
  counted?: readonly CountedType[] | undefined
  /** How many rows there are without filters, if known. */
  total?: number | undefined
}

/** One page of a list with its pager, or its empty state. */
export function Paged<Row>({ route, noMatch, page, show, empty, offers, counted, total }: PagedProps<Row>) {
  return (
    <Loaded of={page}>
      {({ data, next }) =>
        data.length > 0 ? (
          <>
            {show(data)}
            <Pager route={route} next={next}>
              {counted !== undefined ? (
                <RowsOf {...{ route, counted }} count={data.length} />
              ) : (
                rowsText(data.length, isFiltered(route) ? '' : String(total ?? ''))
              )}
            </Pager>
          </>
        ) : isFiltered(route) ? (
          <div class="empty">
            <p class="empty-title">{noMatch}</p>
            {offers}
            <a class="button" href={link(...route.parts)}>
              Clear filters
            </a>
          </div>
        ) : (
          empty
        )
      }
    </Loaded>
  )
}

/** Rows that are no longer in the list are no longer selected. */
function useSelection(keys: readonly string[]): Selection {
  const [marked, mark] = useState<ReadonlySet<string>>(new Set())
  const last = useRef('')
  const chosen = new Set(keys.filter((key) => marked.has(key)))
  const choose = (key: string, range: boolean) => {
    const [from, to] = [keys.indexOf(last.current ?? ''), keys.indexOf(key)].sort((a, b) => a - b)
    const between = range && from !== undefined && from >= 0 ? keys.slice(from, (to ?? 0) + 1) : [key]
    const on = !chosen.has(key)
    last.current = key
    mark(new Set(on ? [...chosen, ...between] : [...chosen].filter((one) => !between.includes(one))))
  }
  return { chosen, choose, chooseAll: (on) => mark(new Set(on ? keys : [])) }
}
