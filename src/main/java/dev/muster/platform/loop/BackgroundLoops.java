package dev.muster.platform.loop;

import java.lang.reflect.Field;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.stereotype.Component;
import org.springframework.util.ReflectionUtils;

/**
 * Finds all loops of this replica in the fields of its beans.
 *
 * <p>A list by hand could miss a loop, and a stop of that loop would then go unnoticed.
 */
@Component
public class BackgroundLoops implements BeanPostProcessor {

  private final Queue<BackgroundLoop> found = new ConcurrentLinkedQueue<>();
  private volatile Predicate<Throwable> outages = failure -> false;

  /**
   * Leaves failures that {@code outages} accepts out of the log of all present and future loops.
   */
  public void reportFailuresTo(Predicate<Throwable> outages) {
    this.outages = outages;
    found.forEach(loop -> loop.reportFailuresTo(outages));
  }

  public List<LoopState> states() {
    return found.stream()
        .map(BackgroundLoop::state)
        .sorted(Comparator.comparing(LoopState::name))
        .toList();
  }

  @Override
  public Object postProcessBeforeInitialization(Object bean, String beanName) {
    if (bean.getClass().getPackageName().startsWith("dev.muster")) {
      ReflectionUtils.doWithFields(bean.getClass(), field -> add(field, bean));
    }
    return bean;
  }

  private void add(Field field, Object bean) throws IllegalAccessException {
    boolean keepsLoop =
        field.getType() == BackgroundLoop.class
            || LoopOwner.class.isAssignableFrom(field.getType());
    if (!keepsLoop) {
      return;
    }
    ReflectionUtils.makeAccessible(field);
    @Nullable Object value = field.get(bean);
    if (value instanceof BackgroundLoop loop) {
      add(loop);
    } else if (value instanceof LoopOwner owner) {
      add(owner.loop());
    }
  }

  private void add(BackgroundLoop loop) {
    found.add(loop);
    loop.reportFailuresTo(outages);
  }
}
