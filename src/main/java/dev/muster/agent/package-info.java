/**
 * The library that makes a program an agent of Muster: registration, heartbeats, messages in and
 * out, delegations. It stands on the JDK, OkHttp, Jackson and SLF4J alone.
 */
@ApplicationModule(allowedDependencies = {"protocol", "protocol :: client"})
@NullMarked
package dev.muster.agent;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
