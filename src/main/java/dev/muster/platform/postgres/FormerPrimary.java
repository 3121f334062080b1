package dev.muster.platform.postgres;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;

/** Lets the pool close a connection to a host that takes no writes any more (R12.1). */
final class FormerPrimary implements SQLExceptionOverride {

  private static final String READ_ONLY_TRANSACTION = "25006";

  @java.lang.Override
  public SQLExceptionOverride.Override adjudicate(SQLException failure) {
    return READ_ONLY_TRANSACTION.equals(failure.getSQLState())
        ? SQLExceptionOverride.Override.MUST_EVICT
        : SQLExceptionOverride.Override.CONTINUE_EVICT;
  }
}
