package dev.muster.agent.cli;

/** Defines the exit codes of the program. */
final class ExitCode {

  static final int DONE = 0;
  static final int FAILED = 1;
  static final int USAGE = 2;
  static final int REMOVED = 3;
  static final int NOT_ADMITTED = 4;
  static final int PAUSED = 5;
  static final int NO_ANSWER = 6;
  static final int REVOKED = 7;

  /** The code of sysexits.h for "try again", by which a supervisor starts the agent again. */
  static final int RESTART = 75;

  private ExitCode() {}
}
