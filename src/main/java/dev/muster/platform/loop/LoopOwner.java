package dev.muster.platform.loop;

/** Something that is no bean itself and keeps a loop, so that the loop is shown none the less. */
public interface LoopOwner {

  BackgroundLoop loop();
}
