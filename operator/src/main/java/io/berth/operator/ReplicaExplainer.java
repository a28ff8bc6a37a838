package io.berth.operator;

import io.berth.operator.http.ChangesRequest;
import io.berth.operator.http.DecisionsRequest;
import io.berth.operator.http.Explainer;
import io.berth.operator.http.PublishedObjects;
import io.berth.operator.record.ExplainPages;
import io.berth.serving.http.HttpAnswer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The pages under {@code /explain}; until the replica has started they answer 503. */
final class ReplicaExplainer implements Explainer {
  private static final HttpAnswer STARTING =
      HttpAnswer.text(503, "this replica is starting; ask again in a few seconds");

  private volatile @Nullable ExplainPages pages;

  /** Serves these pages from now on. */
  void use(ExplainPages ready) {
    pages = ready;
  }

  private HttpAnswer answer(Function<ExplainPages, HttpAnswer> page) {
    ExplainPages ready = pages;
    return ready == null ? STARTING : page.apply(ready);
  }

  @Override
  public HttpAnswer explain(String namespace, String pod, boolean json, boolean fromReplica) {
    return answer(ready -> ready.explain(namespace, pod, json, fromReplica));
  }

  @Override
  public HttpAnswer cards(String node, boolean json, boolean fromReplica) {
    return answer(ready -> ready.cards(node, json, fromReplica));
  }

  @Override
  public HttpAnswer engine(boolean json, boolean fromReplica) {
    return answer(ready -> ready.engine(json, fromReplica));
  }

  @Override
  public HttpAnswer decisions(DecisionsRequest asked, boolean fromReplica) {
    return answer(ready -> ready.decisions(asked, fromReplica));
  }

  @Override
  public HttpAnswer objects(String resource, boolean fromReplica) {
    return answer(ready -> ready.objects(resource, fromReplica));
  }

  @Override
  public HttpAnswer changes(ChangesRequest asked, boolean fromReplica) {
    return answer(ready -> ready.changes(asked, fromReplica));
  }

  @Override
  public void publish(String resource, PublishedObjects objects) {
    ExplainPages ready = pages;
    if (ready == null) {
      throw new IllegalStateException("publish " + resource + " after this replica has started");
    }
    ready.publish(resource, objects);
  }
}
