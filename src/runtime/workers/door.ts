/** The door of a deployment: each call goes to the object of its workspace, if there is one. */
import { isName } from '../../core/unit/names.js'
import { createApp, type Fetch } from '../../http/app.js'
import { errorAnswer, toResponse } from '../../http/bodies.js'
import { addressOf } from '../../http/guard.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { callHeaders } from '../../protocol/platform/headers.js'
import { type Bindings, directoryOf } from './bindings.js'
import { setBounded } from './bounded.js'
import { envOf, hostOf } from './host.js'
import { wall } from './runtime.js'
import { type Settings, settingsOf } from './settings.js'
import { addressOfCaller, Strangers } from './strangers.js'
import { withWholeBody } from './whole-body.js'

/** Marks a webhook of a workspace to its own inbox, which does not pass the door. The door takes it off every call from outside. */
export const insideHeader = 'X-Sandbox-Inside'

/** A dropped workspace may be asked for so long after it went: its object answers 404 and writes nothing. */
const knownMs = 10 * 60_000
const maxKnown = 10_000

type Door = (request: Request) => Promise<Response>

let door: Door | undefined

/** One for each isolate: what it remembers lies in memory. */
export function doorOf(bindings: Bindings): Door {
  door ??= openDoor(bindings)
  return door
}

function openDoor(bindings: Bindings): Door {
  const settings = usableSettings(bindings)
  if (typeof settings !== 'string') return new OpenDoor(bindings, settings).fetch
  const error = new ApiError('SERVICE_UNAVAILABLE', { reason: settings }, { message: settings })
  return (request) => withWholeBody(request, async () => refused(error))
}

/** A text says why the deployment is closed. */
function usableSettings(bindings: Bindings): Settings | string {
  try {
    const settings = settingsOf(bindings)
    if (settings.isLocal || bindings.PAYMENTS_SANDBOX_OPERATOR_TOKEN) return settings
    return 'This deployment has no operator token: set the secret PAYMENTS_SANDBOX_OPERATOR_TOKEN.'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

class OpenDoor {
  /** Workspaces that the directory has confirmed, and until when that is not asked again. */
  readonly #knownUntilMs = new Map<string, number>()
  readonly #strangers: Strangers | null
  /** Answers for workspaces that do not exist, like any workspace would. */
  readonly #app: Fetch

  constructor(
    readonly bindings: Bindings,
    { limits, ...settings }: Settings,
  ) {
    this.#strangers = limits === null ? null : new Strangers(limits.strangerCallsPerMinute, wall)
    this.#app = createApp(
      hostOf(
        bindings,
        { limits, ...settings },
        {
          workspace: () => undefined,
          tokenHash: () => null,
          keepTokenHash: () => undefined,
          home: () => ({ origin: settings.origin ?? '', workspace: '' }),
          hosted: () => undefined,
          admitCertification: () => undefined,
        },
      ),
    )
  }

  fetch = async (request: Request): Promise<Response> => {
    const rawTarget = targetOf(request)
    const { workspace } = addressOf(request, rawTarget)
    try {
      // Whoever shows nothing is a stranger everywhere: no object has to say so.
      if (showsNothing(request)) this.#strangers?.admit(addressOfCaller(request))
      if (workspace === 'default' || (await this.#exists(workspace)))
        return await this.bindings.WORKSPACES.getByName(workspace).fetch(fromOutside(request))
      if (!showsNothing(request)) this.#strangers?.admit(addressOfCaller(request))
    } catch (error) {
      return withWholeBody(request, async () => refused(error))
    }
    return withWholeBody(request, async (whole) => this.#app(whole, envOf(request, rawTarget)))
  }

  async #exists(name: string): Promise<boolean> {
    if (!isName(name)) return false
    if ((this.#knownUntilMs.get(name) ?? 0) > wall()) return true
    const exists = await directoryOf(this.bindings).has(name)
    if (exists) setBounded(this.#knownUntilMs, name, wall() + knownMs, maxKnown)
    return exists
  }
}

export const targetOf = ({ url }: Request): string => url.slice(new URL(url).origin.length)

const showsNothing = ({ headers }: Request) => !headers.has('Authorization') && !headers.has(callHeaders.adminToken)

function fromOutside(request: Request): Request {
  if (!request.headers.has(insideHeader)) return request
  const outside = new Request(request)
  outside.headers.delete(insideHeader)
  return outside
}

/** No workspace is there to number it. */
const refused = (error: unknown): Response => toResponse(errorAnswer(error), 'req_0')
