package dev.muster.platform.loop;

/** Exposes the loop of an object that is not a bean, for {@link BackgroundLoops}. */
public interface LoopOwner {

  BackgroundLoop loop();
}
