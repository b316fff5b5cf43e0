/** Formats the figures of limits.ts for prose, with units. */
import { dayMs, minuteMs, secondMs } from '../../base/duration.js'
import { megabyte } from './limits.js'

export const seconds = (ms: number): string => `${ms / secondMs} s`
export const minutes = (ms: number): string => `${ms / minuteMs} minutes`
export const formatDays = (ms: number): string => `${ms / dayMs} days`
export const kilobytes = (bytes: number): string => `${bytes / 1024} KB`
export const megabytes = (bytes: number): string => `${bytes / megabyte} MB`
