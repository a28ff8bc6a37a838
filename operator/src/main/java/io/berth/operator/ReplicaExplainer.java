package io.berth.operator;

import io.berth.operator.http.Explainer;
import io.berth.operator.record.ExplainPages;
import io.berth.serving.http.HttpAnswer;
import org.jspecify.annotations.Nullable;

/** The pages under {@code /explain}; until the replica has started they answer 503. */
final class ReplicaExplainer implements Explainer, AutoCloseable {
  private static final HttpAnswer STARTING =
      HttpAnswer.text(503, "this replica is starting; ask again in a few seconds");

  private volatile @Nullable ExplainPages pages;

  /** Serves these pages from now on; {@link #close} closes them. */
  void use(ExplainPages ready) {
    pages = ready;
  }

  @Override
  public HttpAnswer explain(String namespace, String pod, boolean json, boolean fromReplica) {
    ExplainPages ready = pages;
    return ready == null ? STARTING : ready.explain(namespace, pod, json, fromReplica);
  }

  @Override
  public HttpAnswer cards(String node, boolean json, boolean fromReplica) {
    ExplainPages ready = pages;
    return ready == null ? STARTING : ready.cards(node, json, fromReplica);
  }

  @Override
  public HttpAnswer decisions(String namespace, String after, int limit, boolean fromReplica) {
    ExplainPages ready = pages;
    return ready == null ? STARTING : ready.decisions(namespace, after, limit, fromReplica);
  }

  @Override
  public void close() {
    ExplainPages ready = pages;
    if (ready != null) {
      ready.close();
    }
  }
}
