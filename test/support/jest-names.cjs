/** The names that Jest provides, by node's own test runner: the recipe runs here without Jest being installed. */
const { after, before, beforeEach, test } = require('node:test')

Object.assign(globalThis, { beforeAll: before, afterAll: after, beforeEach, test })
