/** Real browsers, one of each for a worker, and pages that record every problem. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, chromium, type LaunchOptions, type Page } from 'playwright-core'
import { afterEveryFile } from './hooks.js'
import { hasPackagedBrowser, packagedBrowser } from './packaged-browser.js'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  // A page lives for seconds: what V8 would gain by optimizing its code costs more than that.
  '--js-flags=--no-opt',
]

/** `packaged`, or the path of the only browser to use. */
const wanted = process.env.TEST_BROWSER

/** A distribution may install a program that only says where to get the browser. */
const runs = (path: string) => existsSync(path) && spawnSync(path, ['--version'], { timeout: 20_000 }).status === 0

const installed = wanted === undefined ? places.find(runs) : wanted === 'packaged' ? undefined : wanted

export type BrowserName = 'installed' | 'packaged'

/** The browsers of this run. A test that does not choose uses the first. */
export const browserNames: readonly [BrowserName, ...BrowserName[]] =
  installed === undefined
    ? ['packaged']
    : wanted === undefined && hasPackagedBrowser
      ? ['installed', 'packaged']
      : ['installed']

/** Options for Playwright. */
export async function browserLaunch(name: BrowserName = browserNames[0]): Promise<LaunchOptions> {
  const program =
    name === 'packaged' || installed === undefined ? await packagedBrowser() : { executablePath: installed }
  return { ...program, args: flags }
}

const browsers = new Map<BrowserName, Promise<Browser>>()

/** The browser that all test files of a worker share. It starts with its first page, and ends with the worker. */
export function browserOf(name: BrowserName = browserNames[0]): Promise<Browser> {
  const browser = browsers.get(name) ?? browserLaunch(name).then((options) => chromium.launch(options))
  browsers.set(name, browser)
  return browser
}

afterEveryFile(async () => {
  for (const browser of browsers.values()) for (const context of (await browser).contexts()) await context.close()
})

/** The browser's own console message about an error response that the page shows. */
export const refusals = /the server responded with a status of 4\d\d/

export interface Watched {
  page: Page
  /** Console errors, exceptions, and requests to other origins. */
  problems: string[]
}

export interface PageOptions {
  width?: number
  height?: number
  colorScheme?: 'light' | 'dark'
  /** Has touch and neither keyboard nor mouse. */
  isPhone?: true
  /** The browser's language (default: requests have no Accept-Language). */
  locale?: string
  /** Default: the first of the run. */
  browser?: BrowserName
  /** Matches expected console messages and exceptions. */
  tolerate?: RegExp
  /** Runs in the page before its own scripts. */
  before?: () => void
}

/** Opens a page without stored data. It may send requests only to `origin`. The test closes its context, or the end of the file does. */
export async function openPage(origin: string, options: PageOptions = {}): Promise<Watched> {
  const {
    width = 1360,
    height = 860,
    colorScheme = 'light',
    isPhone = false,
    locale,
    browser,
    tolerate,
    before,
  } = options
  const context = await (await browserOf(browser)).newContext({
    viewport: { width, height },
    colorScheme,
    ...{ isMobile: isPhone, hasTouch: isPhone },
    ...(locale === undefined ? {} : { locale }),
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  if (before !== undefined) await page.addInitScript(before)
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    if (tolerate?.test(message.text()) !== true) problems.push(`console: ${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', ({ message }) => {
    if (tolerate?.test(message) !== true) problems.push(`exception: ${message}`)
  })
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) problems.push(`request to ${request.url()}`)
  })
  return { page, problems }
}

/** Returns the elements that are wider than the window, by tag and class. */
export function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth <= width) return []
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > width + 1)
      .map((element) => `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`)
      .slice(0, 8)
  })
}

/** Returns the texts of results that run out of their row; opens every row to see all. */
export function outside(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    for (const details of document.querySelectorAll('.results details')) details.setAttribute('open', '')
    return [...document.querySelectorAll('.results > li')].flatMap((row) => {
      const { right } = row.getBoundingClientRect()
      const wider = (element: Element) => element.getBoundingClientRect().right > right + 1
      return [...row.querySelectorAll('code, p, pre, figcaption, strong, .said')]
        .filter(
          (element) => wider(element) || (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0),
        )
        .map(({ tagName, textContent }) => `${tagName}: ${textContent?.slice(0, 80)}`)
    })
  })
}

/** Returns the controls that have no accessible name. */
export function nameless(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const labelOf = (element: Element): string => {
      const labeled = (element.getAttribute('aria-labelledby') ?? '')
        .split(/\s+/)
        .map((id) => document.getElementById(id)?.textContent ?? '')
        .join('')
      const labels = 'labels' in element ? [...((element as HTMLInputElement).labels ?? [])] : []
      return [
        element.getAttribute('aria-label') ?? '',
        labeled,
        ...labels.map((label) => label.textContent ?? ''),
        /^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName) ? '' : (element.textContent ?? ''),
      ].join('')
    }
    const used = 'a, button, input, select, textarea, summary, table, dialog, nav, [role="img"], [tabindex="0"]'
    return [...document.querySelectorAll(used)]
      .filter((element) => labelOf(element).trim() === '')
      .map((element) => element.outerHTML.slice(0, 160))
  })
}

/** Changes the color scheme and waits for the end of the color transitions. */
export async function switchTo(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.evaluate(async () => {
    await new Promise((drawn) => requestAnimationFrame(drawn))
    const fading = document.getAnimations().filter((one) => one instanceof CSSTransition)
    await Promise.allSettled(fading.map(({ finished }) => finished))
  })
}

/** Returns the controls that the Tab key does not reach from the beginning of the page. */
export async function unreachable(page: Page): Promise<string[]> {
  const used = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'
  const count = await page.evaluate((selector) => {
    const reached = new Set<EventTarget | null>()
    Object.assign(window, { reached })
    document.addEventListener('focusin', ({ target }) => reached.add(target))
    // Tab begins where this element was. From elsewhere it would lead through the browser's own buttons, however many there are.
    const start = document.createElement('span')
    start.tabIndex = -1
    document.body.prepend(start)
    start.focus()
    start.remove()
    return document.querySelectorAll(selector).length
  }, used)
  // A date field has a tab stop for each of its parts. Holding the key down is faster than a press and a release for each stop.
  await Promise.all(Array.from({ length: count + 10 }, () => page.keyboard.down('Tab')))
  await page.keyboard.up('Tab')
  return page.evaluate((selector) => {
    const { reached } = window as unknown as { reached: Set<EventTarget> }
    return (
      [...document.querySelectorAll<HTMLElement>(selector)]
        .filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.tabIndex >= 0)
        // Arrow keys reach the other radio buttons of a group.
        .filter((element) => !element.matches('[type=radio]:not(:checked)'))
        .filter((element) => !reached.has(element) && !element.matches(':disabled'))
        .map((element) => element.outerHTML.slice(0, 160))
    )
  }, used)
}

/** Returns the findings of axe-core, one line for each element; `rules` selects rules (default: all, including the size of targets). */
export async function barriers(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(
    async (named) => {
      const { axe } = window as unknown as { axe: typeof import('axe-core') }
      const { violations } = await axe.run(document, {
        resultTypes: ['violations'],
        // Off by default.
        ...(named === null
          ? { rules: { 'target-size': { enabled: true } } }
          : { runOnly: { type: 'rule', values: named } }),
      })
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
      )
    },
    rules === undefined ? null : [...rules],
  )
}
