package dev.muster.activity;

/**
 * What another module keeps of a row, or of the end of its turn, and stores in the same
 * transaction; its {@link CompanionStore} knows what it is.
 */
public interface Companion {}
