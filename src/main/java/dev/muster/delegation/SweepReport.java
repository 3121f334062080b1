package dev.muster.delegation;

/**
 * What a sweep did.
 *
 * @param deadlineFailures delegations past their deadline, which failed
 * @param stuckMarked delegations of silent callees, which are stuck
 * @param errors those that another transaction changed first, and those that could not be stored
 */
record SweepReport(int deadlineFailures, int stuckMarked, int errors) {}
