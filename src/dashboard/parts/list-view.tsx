/** List views: each is described by its route, filters and columns, and rendered here. */
import type { Child, FC } from 'hono/jsx/dom'
import { type Filter, type ListRoute, type RowOf, useList } from '../store/list.js'
import type { Route } from '../store/route.js'
import { Empty, Head, Loaded, Panel } from './layout.js'
import { Filters, isFiltered, Pager, Table, type TableSpec } from './table.js'

export interface ListSpec<Source extends ListRoute> {
  source: Source
  title: string
  /** The name of one row, as in "No dispute matches". */
  noun: string
  /** The kinds of change after which the list is read again. */
  watch: readonly string[]
  filters: readonly Filter<Source>[]
  table: TableSpec<RowOf<Source>>
  /** Shown if there are no rows at all. */
  empty: FC
  /** Buttons in the head of the view. */
  tools?: Child
}

export function listView<Source extends ListRoute>(spec: ListSpec<Source>): FC<{ route: Route }> {
  const { source, title, noun, watch, filters, table, empty: Nothing, tools } = spec
  return ({ route }) => (
    <>
      <Head title={title}>{tools}</Head>
      {filters.length === 0 ? null : <Filters route={route} filters={filters} />}
      <Panel flush>
        <Paged
          {...{ route, noun, page: useList(source, route, filters, watch), empty: <Nothing /> }}
          show={(rows) => <Table {...table} rows={rows} />}
        />
      </Panel>
    </>
  )
}

interface PagedProps<Row> {
  route: Route
  noun: string
  page: ReturnType<typeof useList<ListRoute, Row>>
  show: (rows: readonly Row[]) => Child
  empty: Child
}

/** One page of a list with its pager, or its empty state. */
export function Paged<Row>({ route, noun, page, show, empty }: PagedProps<Row>) {
  return (
    <Loaded of={page}>
      {({ data, next }) =>
        data.length > 0 ? (
          <>
            {show(data)}
            <Pager route={route} next={next} count={data.length} />
          </>
        ) : isFiltered(route) ? (
          <Empty title={`No ${noun} matches`}>Choose other filters.</Empty>
        ) : (
          empty
        )
      }
    </Loaded>
  )
}
