package io.berth.operator.extender;

import io.berth.engine.api.Decision.Placed;
import io.berth.engine.extender.Extender;
import io.berth.engine.extender.Extenders;
import io.berth.operator.api.LogKeys;
import io.berth.operator.api.Timing;
import io.berth.operator.bind.OtherBinder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Binds pods through the first extender of their policy that supports binding. */
public final class ExtenderBinding implements OtherBinder {

  private static final Logger LOG = LoggerFactory.getLogger(ExtenderBinding.class);

  private final ExtenderClients clients;
  private final Timing timing;

  ExtenderBinding(ExtenderClients clients, Timing timing) {
    this.clients = clients;
    this.timing = timing;
  }

  @Override
  public void bind(Placed placed, Consumer<Result> then) {
    timing.fork("extender-binding", () -> then.accept(result(placed)));
  }

  private Result result(Placed placed) {
    if (!(placed.binder().orElse(null) instanceof Extenders extenders)) {
      return new PassedOver();
    }
    String policy = placed.record().policy();
    for (ExtenderClient client : clients.of(policy, placed.record().policyRevision(), extenders)) {
      Extender extender = client.extender();
      if (extender.verbs().bind().isEmpty()) {
        continue;
      }
      try {
        client.ask(
            Verb.BIND,
            Requests.aboutBinding(placed.pod(), placed.nodeName()),
            json -> {
              Replies.bound(json);
              return json;
            });
        return new Bound();
      } catch (ExtenderException e) {
        if (!extender.ignorable()) {
          return new Failed(Failures.needed(extender, Verb.BIND, policy, e));
        }
        LogKeys.pod(placed.pod())
            .andNode(placed.nodeName())
            .andPolicy(policy)
            .debug(LOG)
            .accept(Failures.passedOver(extender, Verb.BIND, policy, e));
      }
    }
    return new PassedOver();
  }
}
