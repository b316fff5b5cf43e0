/** Valid names of accounts and scenarios: each pattern with its description. */

export const usernamePattern = /^[a-z0-9][a-z0-9._-]{0,49}$/
export const usernameRule = 'must be 1 to 50 of a-z, 0-9, dot, hyphen and underscore, and begin with a letter or digit'

export const scenarioNamePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/
export const scenarioNameRule = 'words of a-z and 0-9 joined by hyphens'
export const scenarioNameMaxLength = 80
