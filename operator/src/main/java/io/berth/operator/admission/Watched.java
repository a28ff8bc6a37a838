package io.berth.operator.admission;

import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;

/** An informer on a single object that reports any change. */
final class Watched implements AutoCloseable {
  private final SharedIndexInformer<?> informer;

  <T> Watched(Informable<T> object, Runnable changed) {
    this.informer =
        object.inform(
            new ResourceEventHandler<T>() {
              @Override
              public void onAdd(T added) {
                changed.run();
              }

              @Override
              public void onUpdate(T before, T after) {
                changed.run();
              }

              @Override
              public void onDelete(T gone, boolean unknown) {
                changed.run();
              }
            });
  }

  @Override
  public void close() {
    informer.stop();
  }
}
