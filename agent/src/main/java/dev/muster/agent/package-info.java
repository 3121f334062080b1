/**
 * Implements an agent of Muster: registration, heartbeats, messages and delegations. It depends
 * only on the JDK, OkHttp, Jackson and SLF4J.
 */
@ApplicationModule(allowedDependencies = {"protocol", "protocol :: client"})
@NullMarked
package dev.muster.agent;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
