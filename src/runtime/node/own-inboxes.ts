/** The sandbox's own inboxes as receivers: webhooks may go to them wherever the sandbox listens, in shared mode and with strict webhooks too. */
import { networkInterfaces } from 'node:os'
import { isInboxPath } from '../../protocol/control/inbox.js'
import { addressKind } from '../../protocol/platform/webhook-hosts.js'

export interface OwnInboxes {
  /** Whether a URL names an inbox at our port; whose address that is, is seen when connecting. */
  covers(target: URL): boolean
  /** Whether an address is one that this sandbox listens on. */
  isHere(address: string): boolean
}

/** `host` is what the sandbox was told to listen on; `port` is 0 until it listens. */
export function ownInboxes(host: string, port: () => number): OwnInboxes {
  const isOnLoopback = host === 'localhost' || addressKind(host) === 'loopback'
  const isOnEvery = addressKind(host) === 'unspecified'
  return {
    covers: (target) =>
      target.protocol === 'http:' && Number(target.port || 80) === port() && isInboxPath(target.pathname),
    isHere: (address) =>
      addressKind(address) === 'loopback'
        ? isOnLoopback || isOnEvery
        : !isOnLoopback && addressesOfThisMachine().includes(address),
  }
}

const addressesOfThisMachine = (): string[] =>
  Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? [])
