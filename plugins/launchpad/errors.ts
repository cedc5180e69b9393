/** The refusals of a launchpad, at a node that calls it and at an aggregator that sponsors. */
export const ERRORS = {
  launchpad_refused: [422, 'The launchpad refused this.'],
  launchpad_rate_limited: [429, 'The launchpad asks to slow down; wait and retry.'],
  launchpad_not_configured: [503, 'The node was started without a launchpad API key.'],
} as const;
