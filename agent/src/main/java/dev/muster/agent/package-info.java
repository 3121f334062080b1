/**
 * Implements an agent of Muster: registration, heartbeats, messages and delegations. It depends
 * only on the JDK, OkHttp, Jackson and SLF4J.
 */
@NullMarked
package dev.muster.agent;

import org.jspecify.annotations.NullMarked;
