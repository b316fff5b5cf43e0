/** The path of the token endpoint. A file of its own, because importing the endpoints would add all their schemas to the dashboard. */
export const tokenPath = '/v2/oauth/token'
