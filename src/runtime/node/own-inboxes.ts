/** The sandbox's own inboxes as receivers: webhooks to them are always allowed, in shared mode and with strict webhooks too. */
import { networkInterfaces } from 'node:os'
import { isInboxPath } from '../../protocol/control/inbox.js'
import { addressKind } from '../../protocol/platform/webhook-hosts.js'

export interface OwnInboxes {
  /** Whether a URL is an inbox at the sandbox's port. Whether its host is this sandbox is checked when connecting. */
  covers(target: URL): boolean
  /** Returns whether the sandbox listens on this address. */
  isHere(address: string): boolean
}

/** `host` is the address that the sandbox was configured to listen on; `port` returns 0 until it listens. */
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
