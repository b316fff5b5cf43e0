/** Views of one object: each is described by its route, head and columns, and rendered here. */
import type { Child, FC } from 'hono/jsx/dom'
import type { RouteAnswer, RouteInput } from '../../client/control.js'
import { workspace } from '../api.js'
import { sentence } from '../format.js'
import { useEffect } from '../store/hooks.js'
import { type Query, type ReadRoute, useQuery } from '../store/query.js'
import { link, type Route } from '../store/route.js'
import { IconButton } from './forms/controls.js'
import { Head, Loaded, NothingHere } from './layout.js'
import { WrappedText } from './text.js'

/** Routes that read one object. */
type ObjectRoute = Extract<ReadRoute, `${string}}`>
type Shown<Source extends ObjectRoute> = FC<{ row: RouteAnswer<Source>; route: Route }>

interface DetailSpec<Source extends ObjectRoute> {
  source: Source
  /** The kinds of change after which the object is read again. */
  watch: readonly string[]
  /** The title of the page, and the heading if there is no other. */
  title: (row: RouteAnswer<Source>) => string
  heading?: (row: RouteAnswer<Source>) => Child
  /** The link to the list of such objects; without a row, which is not read yet, to the list of all. */
  crumb: (row?: RouteAnswer<Source>) => { href: string; text: string }
  /** Buttons in the head. */
  actions?: Shown<Source>
  /** The bar of actions below the head. */
  actionBar?: Shown<Source>
  main: Shown<Source>
  side: Shown<Source>
  /** Beside its list, the object begins with its side. */
  previewsSideFirst?: true
  /** Below both columns. */
  foot?: Shown<Source>
}

/** The page of an object, and the same in one column beside its list. */
export function detailView<Source extends ObjectRoute>(
  spec: DetailSpec<Source>,
): [View: FC<ViewProps>, Preview: FC<PreviewProps>] {
  // `GET /disputes/{id}` reads a dispute by its id.
  const [, plural = '', parameter = ''] = spec.source.split('/')
  const useObject = (id: string) => {
    // A route that reads one object has exactly one parameter.
    const input = { params: { [parameter.slice(1, -1)]: id } } as unknown as RouteInput<Source>
    return useQuery(spec.source, input, spec.watch)
  }
  return [pageOf(spec, plural, useObject), previewOf(spec, plural, useObject)]
}

interface ViewProps {
  route: Route
  id: string
}

type UseObject<Source extends ObjectRoute> = (id: string) => Query<RouteAnswer<Source>>

function pageOf<Source extends ObjectRoute>(
  spec: DetailSpec<Source>,
  plural: string,
  useObject: UseObject<Source>,
): FC<ViewProps> {
  const { title, heading, crumb, actions: Actions, actionBar: ActionBar, main: Main, side: Side, foot: Foot } = spec
  const kind = plural.slice(0, -1)
  return ({ route, id }) => {
    const query = useObject(id)
    if (query.error?.status === 404)
      return (
        <NothingHere title="Not found" list={crumb()}>
          <p class="empty-title">
            {sentence(kind)} <WrappedText>{id}</WrappedText>
          </p>
          <p>
            It is not in the workspace <code>{workspace}</code>. A reset or a snapshot may have removed it, or it
            belongs to another workspace.
          </p>
        </NothingHere>
      )
    return (
      <>
        {query.data === undefined ? <UnreadHead kind={kind} id={id} crumb={crumb()} /> : null}
        <Loaded of={query}>
          {(row) => (
            <>
              <Head title={title(row)} heading={heading?.(row)} crumb={crumb(row)}>
                {Actions === undefined ? null : <Actions row={row} route={route} />}
              </Head>
              {ActionBar === undefined ? null : <ActionBar row={row} route={route} />}
              <div class="columns">
                <div class="column wide">
                  <Main row={row} route={route} />
                </div>
                <div class="column">
                  <Side row={row} route={route} />
                </div>
              </div>
              {Foot === undefined ? null : <Foot row={row} route={route} />}
            </>
          )}
        </Loaded>
      </>
    )
  }
}

function previewOf<Source extends ObjectRoute>(
  spec: DetailSpec<Source>,
  plural: string,
  useObject: UseObject<Source>,
): FC<PreviewProps> {
  const { title, heading, actionBar: ActionBar, main: Main, side: Side, previewsSideFirst } = spec
  const [First, Second] = previewsSideFirst ? [Side, Main] : [Main, Side]
  return ({ id, close }) => {
    const route = { parts: [plural, id], query: new URLSearchParams() }
    const query = useObject(id)
    // A reset or a restore can take the object away.
    const isGone = query.error?.status === 404
    useEffect(() => {
      if (isGone) close()
    }, [isGone])
    return (
      <div class="column sticky" tabIndex={-1}>
        <Loaded of={query}>
          {(row) => (
            <>
              <header class="panel-head">
                <h2>{heading?.(row) ?? title(row)}</h2>
                <div class="row">
                  <a class="button" href={link(plural, id)}>
                    Open
                  </a>
                  <IconButton icon="close" accessibleName="Close the side panel" onClick={close} />
                </div>
              </header>
              {ActionBar === undefined ? null : <ActionBar row={row} route={route} />}
              <First row={row} route={route} />
              <Second row={row} route={route} />
            </>
          )}
        </Loaded>
      </div>
    )
  }
}

export interface PreviewProps {
  id: string
  close: () => void
}

interface UnreadHeadProps {
  kind: string
  id: string
  crumb: { href: string; text: string }
}

/** The head of an object that is not read yet. */
const UnreadHead = ({ kind, id, crumb }: UnreadHeadProps) => {
  const heading = (
    <>
      <span class="title-kind">{sentence(kind)}</span> <WrappedText clamp>{id}</WrappedText>
    </>
  )
  return <Head title={`${sentence(kind)} ${id}`} heading={heading} crumb={crumb} />
}
