/** Navigation, current workspace, connection state, language and theme. */

import { divergenceText, fidelityText } from '../../../protocol/control/fidelity-text.js'
import type { Hosted as HostedWorkspace } from '../../../protocol/control/state.js'
import { baseUrl, workspace } from '../../api.js'
import { chooseLanguage, language, languages, t } from '../../language.js'
import { createValue, useValue } from '../../store/hooks.js'
import { connection } from '../../store/live.js'
import { useQuery } from '../../store/query.js'
import { link } from '../../store/route.js'
import type { Place } from '../../store/shortcuts.js'
import { showTheme, themeKey } from '../../theme.js'
import { Icon, IconButton, type IconName, Select } from '../forms/controls.js'
import { enterWorkspace } from '../forms/snapshot-commands.js'

export const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const remembered = localStorage.getItem(themeKey)
export const theme = createValue<Theme>(themes.find((name) => name === remembered) ?? 'system')

export function applyTheme(): void {
  showTheme(theme.get())
}

const nextTheme = (): void => setTheme(themes[(themes.indexOf(theme.get()) + 1) % themes.length] ?? 'system')

export function setTheme(next: Theme): void {
  localStorage.setItem(themeKey, next)
  theme.set(next)
  applyTheme()
}

export const themeNames = { system: 'System theme', light: 'Light theme', dark: 'Dark theme' } as const

interface Navigation {
  group: string
  places: readonly (Place & { icon: IconName })[]
}

interface SidebarProps {
  navigation: readonly Navigation[]
  /** Path of the view that is open. */
  at: string | null
  close: () => void
}

export const Sidebar = ({ navigation, at, close }: SidebarProps) => (
  <aside class="sidebar">
    <div class="sidebar-inner">
      <div class="sidebar-head">
        <a class="brand" href={link()}>
          <img src="/assets/icon.svg" alt="" width={26} height={26} />
          payments-sandbox
        </a>
        <IconButton icon="close" accessibleName="Close the menu" onClick={close} />
      </div>
      <WorkspaceSelect />
      <nav aria-label="Views">
        {navigation.map(({ group, places }) => (
          <section key={group} aria-labelledby={`group-${group}`}>
            <h2 id={`group-${group}`}>{group}</h2>
            {places.map(({ path, label, icon }) => (
              <a key={path} href={link(path)} aria-current={path === at ? 'page' : undefined}>
                <Icon name={icon} />
                {label}
              </a>
            ))}
          </section>
        ))}
      </nav>
      <div class="sidebar-foot">
        <a href={`${baseUrl}/_sandbox/docs`} hreflang="en">
          <Icon name="book" />
          API reference
        </a>
        <ThemeButton />
        <LanguageSelect />
        <Connection />
      </div>
    </div>
  </aside>
)

const WorkspaceSelect = () => {
  const list = useQuery('GET /workspaces', {}, ['workspace'])
  const names = [...new Set(['default', ...(list.data?.data ?? []).map(({ name }) => name), workspace])]
  return (
    <label class="workspace" for="workspace">
      <span>Workspace</span>
      <Select id="workspace" value={workspace} choices={names} choose={enterWorkspace} />
    </label>
  )
}

const connectionTexts = { connecting: 'Connecting…', live: 'Connected', lost: 'Reconnecting…' } as const

/** Deletion date, limits and storage of a hosted workspace. */
const Hosted = ({ deleted_at: deletedAt, limits, storage_bytes: storageBytes }: HostedWorkspace) => {
  const { storage_bytes: maxBytes, stranger_calls_per_minute: _, ...counts } = limits
  return (
    <span class="faint">
      Hosted: deleted on {deletedAt.slice(0, 10)} unless used before.{' '}
      {Object.entries(counts).map(([name, limit]) => `${limit} ${t(name.replaceAll('_', ' '))}, `)}
      {megabytes(storageBytes)} of {megabytes(maxBytes)} MB.
    </span>
  )
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1024 / 1024)

const Connection = () => {
  const reason = useValue(connection)
  const state = typeof reason === 'string' ? reason : 'lost'
  const health = useQuery('GET /health', {}, ['workspace'])
  const fidelity = useQuery('GET /fidelity', {}, ['workspace'])
  return (
    <p class={`connection ${state}`} role="status">
      <span class="dot" />
      {connectionTexts[state]}
      {health.data === undefined ? null : <span class="faint">v{health.data.version}</span>}
      {fidelity.data === undefined ? null : (
        <a class="fidelity" href={link('compare')} title={fidelityText(fidelity.data)}>
          {fidelity.data.divergence === 'unknown'
            ? 'Not compared with the real platform yet'
            : t`Rules of the real platform: ${divergenceText(fidelity.data)}`}
        </a>
      )}
      {health.data?.hosted === undefined ? null : <Hosted {...health.data.hosted} />}
    </p>
  )
}

/** The names are those that their speakers look for. */
const LanguageSelect = () => (
  <label class="language" for="language">
    <Icon name="language" />
    <span class="visually-hidden">Language</span>
    <Select id="language" value={language} choices={Object.entries(languages)} choose={chooseLanguage} />
  </label>
)

const themeIcons = { system: 'system', light: 'sun', dark: 'moon' } as const

const ThemeButton = () => {
  const current = useValue(theme)
  return (
    <button
      type="button"
      class="quiet theme"
      onClick={nextTheme}
      aria-label={t`${t(themeNames[current])}. Change the theme`}
    >
      <Icon name={themeIcons[current]} />
      {themeNames[current]}
    </button>
  )
}
