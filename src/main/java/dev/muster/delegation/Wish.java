package dev.muster.delegation;

/** That a delegation be changed, and who wants it. */
record Wish(String delegationId, Claimant by, Change change) {}
