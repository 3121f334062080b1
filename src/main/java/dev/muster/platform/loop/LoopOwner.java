package dev.muster.platform.loop;

/** Exposes the loop of an object that is not a bean, so that the loop is shown too. */
public interface LoopOwner {

  BackgroundLoop loop();
}
