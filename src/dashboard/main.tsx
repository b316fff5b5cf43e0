/** The page: its frame with navigation, clock, current view, messages and forms, and how it starts. */
import { ErrorBoundary, render, useRef } from 'hono/jsx/dom'
import { chaosFaultNames } from '../protocol/settings/chaos.js'
import { failureOf, hasStoredToken, isTokenRequired, storeToken } from './api.js'
import { shortDayOf, timeOf } from './format.js'
import { addTexts, t } from './language.js'
import { ClockControl, ModeButton } from './parts/clock-control.js'
import { Button, Icon, IconButton } from './parts/forms/controls.js'
import { DialogHost } from './parts/forms/dialog.js'
import { Help, Palette, SearchButton, showPalette } from './parts/frame/palette.js'
import { applyTheme, Sidebar } from './parts/frame/sidebar.js'
import { Failure, FailureDetails, Head } from './parts/layout.js'
import { Pill } from './parts/text.js'
import { dismiss, showError, toast } from './store/commands.js'
import { formOf } from './store/form.js'
import { useLayoutEffect, useState, useValue } from './store/hooks.js'
import { connection, followStream, reconnectNow } from './store/live.js'
import { followClock, useClock, useNow, useQuery } from './store/query.js'
import { focusForm, link, type Route, useRoute } from './store/route.js'
import { isHelpOpen, listenForShortcuts, shortcutsOf } from './store/shortcuts.js'
import { navigation, places, viewAt } from './views/index.js'

/** The sandbox's clock above every view: its time and whether it is frozen. It opens the control of the clock. */
const Clock = () => {
  const reading = useClock()
  const nowMs = useNow()
  const [open, setOpen] = useState(false)
  if (reading === undefined) return <div class="clock" />
  const frozen = reading.mode === 'manual'
  return (
    <section class={`clock${frozen ? ' frozen' : ''}`} aria-label="The sandbox's clock">
      <button type="button" class="clock-face" popovertarget="clock-panel">
        <Icon name="clock" />
        <span class="visually-hidden">Clock:</span> <span class="clock-day num">{shortDayOf(nowMs)}</span>{' '}
        <strong class="clock-time num">{timeOf(nowMs)}</strong> <span class="faint">UTC</span>
        {reading.advancing !== null ? (
          <Pill status="Advancing" />
        ) : frozen ? (
          <Pill status="Frozen" tone="info" />
        ) : null}
        <Icon name="down" />
      </button>
      <ModeButton frozen={frozen} />
      <div
        id="clock-panel"
        class="clock-panel"
        popover="auto"
        aria-label="Clock controls"
        role="dialog"
        onToggle={(event: Event) => setOpen(event instanceof ToggleEvent && event.newState === 'open')}
      >
        {open ? <ClockControl /> : null}
      </div>
    </section>
  )
}

/** A short message at the edge of the page, announced to screen readers. */
const Toasts = () => {
  const shown = useValue(toast)
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown === undefined ? null : (
        <div class={`toast ${shown.tone}`}>
          <div>
            <p>{shown.text}</p>
            {shown.failure && <FailureDetails error={shown.failure} />}
          </div>
          {shown.action && (
            <Button
              onClick={() => {
                dismiss(shown)
                shown.action?.run()
              }}
            >
              {shown.action.label}
            </Button>
          )}
          <IconButton icon="close" accessibleName="Dismiss" onClick={() => dismiss(shown)} />
        </div>
      )}
    </div>
  )
}

const shortcuts = shortcutsOf(places, showPalette)

/** An error in the frame itself leaves nothing to navigate with. */
const App = () => (
  <ErrorBoundary
    fallbackRender={(error: Error) => (
      <main>
        <Head title="The dashboard cannot be shown" />
        <Failure error={failureOf(error)} />
        <div class="row">
          <Button onClick={() => location.reload()}>Reload the page</Button>
        </div>
      </main>
    )}
  >
    <Frame />
  </ErrorBoundary>
)

const Frame = () => {
  const tokenRequired = useValue(isTokenRequired)
  const route = useRoute()
  const [menu, setMenu] = useState(false)
  const close = () => setMenu(false)
  const path = route.parts.join('/')
  const lastPath = useRef(path)
  const cursor = route.query.get('after')
  useLayoutEffect(() => {
    window.scrollTo(0, 0)
  }, [cursor])
  useLayoutEffect(() => {
    if (lastPath.current === path) return
    lastPath.current = path
    setMenu(false)
    window.scrollTo(0, 0)
    // The focused element may be gone, so keyboard users continue at the new view, or in its form.
    focusMain()
    focusForm()
  }, [path])
  useLayoutEffect(() => {
    const leave = (event: KeyboardEvent) => event.key === 'Escape' && setMenu(false)
    addEventListener('keydown', leave)
    return () => removeEventListener('keydown', leave)
  }, [])
  if (tokenRequired) return <TokenView />
  return (
    <div class={`shell${menu ? ' menu-open' : ''}`}>
      <button type="button" class="skip" onClick={focusMain}>
        Skip to the content
      </button>
      <Topbar menu={menu} setMenu={setMenu} />
      <Sidebar navigation={navigation} at={viewAt(route).at} close={close} />
      {menu ? <button type="button" class="scrim" aria-label="Close the menu" tabIndex={-1} onClick={close} /> : null}
      <main id="main" tabIndex={-1} onFocusCapture={close}>
        <Outage />
        <ErrorBoundary key={path} fallbackRender={broken}>
          <Current key={path} route={route} />
        </ErrorBoundary>
      </main>
      <DialogHost />
      <Palette places={places} />
      <Help shortcuts={shortcuts} places={places} />
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
      <Icon name="menu" />
    </button>
    <Signs />
    <SearchButton />
    <div class="topbar-end">
      <IconButton icon="help" accessibleName="Help" onClick={() => isHelpOpen.set(true)} />
      <Clock />
    </div>
  </header>
)

/** On every page, because what chaos and armed scenarios do looks like a mistake of the app. */
const Signs = () => {
  const chaos = useQuery('GET /chaos', {}, ['workspace']).data ?? {}
  const scenarios = useQuery('GET /scenarios', {}, ['workspace']).data?.data ?? []
  const armed = scenarios.filter((one) => one.armed.length > 0).map(({ name }) => name)
  return (
    <div class="signs">
      {chaosFaultNames.some((name) => chaos[name] !== undefined) ? (
        <a class="pill bad" href={link('chaos')} title="Calls and webhooks fail at random">
          <Icon name="chaos" /> Chaos is on
        </a>
      ) : null}
      {armed.length === 0 ? null : (
        <a class="pill info" href={link('scenarios', ...(armed.length === 1 ? armed : []))} title={armed.join(', ')}>
          <span>{t`Armed: ${armed[0]}`}</span>
          {armed.length === 1 ? null : ` +${armed.length - 1}`}
        </a>
      )}
    </div>
  )
}

/** Shown while the connection is lost. Typed text stays, and the page reconnects by itself. */
const Outage = () => {
  const state = useValue(connection)
  if (typeof state === 'string') return null
  const { status, code, message } = state
  return (
    <div class="failure outage" role="alert">
      <p>
        {status === 0 ? (
          <strong>The sandbox does not answer.</strong>
        ) : (
          <>
            <strong>The sandbox answers with an error.</strong> {message}
          </>
        )}{' '}
        Data may be missing or out of date. Once the sandbox works again, the page recovers by itself.{' '}
        {status === 0 ? null : (
          <span class="faint">
            <code>{code}</code> · HTTP {status}
          </span>
        )}
      </p>
      <Button onClick={reconnectNow}>Try now</Button>
    </div>
  )
}

const Current = ({ route }: { route: Route }) => {
  const { view: ViewContent } = viewAt(route)
  return <ViewContent route={route} id={route.parts[1] ?? ''} />
}

/** Focuses by script, not by a link: the fragment of the address names the view. */
function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true })
}

const broken = (error: Error) => (
  <>
    <Head title="This page cannot be shown" crumb={{ href: link(), text: 'Overview' }} />
    <Failure error={failureOf(error)} />
  </>
)

const TokenView = () => {
  const submit = (event: Event) => {
    event.preventDefault()
    const token = new FormData(formOf(event)).get('token')
    if (typeof token === 'string' && token !== '') storeToken(token.trim())
  }
  return (
    <main class="door" id="main">
      <form class="panel" onSubmit={submit}>
        <div class="panel-body">
          <img src="/assets/icon.svg" alt="" width={40} height={40} />
          <h1>This sandbox is shared</h1>
          <p>
            Its admin token opens the dashboard. It was printed when the sandbox started, and is stored only in this
            tab.
          </p>
          {hasStoredToken ? (
            <p class="failure" role="alert">
              The token is wrong. The sandbox prints the admin token when it starts.
            </p>
          ) : null}
          <div class="field">
            <label for="token">Admin token</label>
            <input id="token" name="token" type="password" autocomplete="off" required />
          </div>
          <button type="submit" class="button primary">
            Open the dashboard
          </button>
        </div>
      </form>
    </main>
  )
}

applyTheme()
followClock()
listenForShortcuts(shortcuts)
void import('./store/focus.js')
void followStream()
// Only an action of a user needs them.
void addTexts(() => import('./languages/errors.json', { with: { type: 'json' } }))
// Errors that no view handles. Some `error` events have no error, such as that of a ResizeObserver that loops.
addEventListener('error', ({ error }) => error instanceof Error && showError(error))
addEventListener('unhandledrejection', ({ reason }) => showError(reason))
addEventListener('online', reconnectNow)
document.addEventListener('visibilitychange', reconnectNow)

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
