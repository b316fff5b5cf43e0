/** The frame of the page: navigation, the clock, the view that the address names, messages and forms. */
import { ErrorBoundary, useEffect, useRef, useState } from 'hono/jsx/dom'
import { tokenWanted } from './api.js'
import { Button } from './parts/forms/controls.js'
import { DialogHost } from './parts/forms/dialog.js'
import { Clock } from './parts/frame/clock.js'
import { Palette, SearchButton } from './parts/frame/palette.js'
import { Sidebar } from './parts/frame/sidebar.js'
import { Toasts } from './parts/frame/toasts.js'
import { Icon } from './parts/icon.js'
import { connection, hurry } from './store/live.js'
import { type Route, useRoute } from './store/route.js'
import { useValue } from './store/value.js'
import { places, viewOf } from './views/index.js'
import { TokenView } from './views/token.js'

export const App = () => {
  const wanted = useValue(tokenWanted)
  const route = useRoute()
  const [menu, setMenu] = useState(false)
  const path = route.parts.join('/')
  const shown = useRef(path)
  const page = route.query.get('after')
  useEffect(() => window.scrollTo(0, 0), [page])
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    setMenu(false)
    window.scrollTo(0, 0)
    // What had the focus may be gone: whoever uses the keyboard goes on from the new view.
    focusMain()
  }, [path])
  useEffect(() => {
    const leave = (event: KeyboardEvent) => event.key === 'Escape' && setMenu(false)
    addEventListener('keydown', leave)
    return () => removeEventListener('keydown', leave)
  }, [])
  if (wanted) return <TokenView />
  return (
    <div class={`shell${menu ? ' menu-open' : ''}`}>
      <button type="button" class="skip" onClick={focusMain}>
        Skip to the content
      </button>
      <Topbar menu={menu} setMenu={setMenu} />
      <Sidebar places={places} at={route.parts[0] ?? ''} />
      <main id="main" tabIndex={-1} onFocusCapture={() => setMenu(false)}>
        <Outage />
        <ErrorBoundary key={path} fallbackRender={broken}>
          <Current key={path} route={route} />
        </ErrorBoundary>
      </main>
      <DialogHost />
      <Palette places={places} />
      <Toasts />
    </div>
  )
}

const Topbar = ({ menu, setMenu }: { menu: boolean; setMenu: (open: boolean) => void }) => (
  <header class="topbar">
    <button
      type="button"
      class="icon-button menu-button"
      aria-label="Menu"
      aria-expanded={menu ? 'true' : 'false'}
      onClick={() => setMenu(!menu)}
    >
      <Icon name={menu ? 'close' : 'menu'} />
    </button>
    <Clock />
    <SearchButton />
  </header>
)

/** Said where the eye is; what was typed stays, and the page goes on by itself. */
const Outage = () =>
  useValue(connection) === 'lost' ? (
    <div class="outage" role="alert">
      <strong>The sandbox does not answer.</strong> What is shown is what it was; the page tries again by itself.
      <Button onClick={hurry}>Try now</Button>
    </div>
  ) : null

const Current = ({ route }: { route: Route }) => {
  const Shown = viewOf(route)
  return <Shown route={route} id={route.parts[1] ?? ''} />
}

/** Not by a link: the fragment of the address names the view. */
function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true })
}

const broken = (error: Error) => (
  <div class="failure" role="alert">
    <p>This view could not be shown: {error.message}</p>
  </div>
)
