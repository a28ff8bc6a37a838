package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The names of the API group. */
public final class QueryApi {
  public static final String GROUP = "query.sched.cloud.ctrip.com";
  public static final String VERSION = "v1alpha1";
  public static final String API_VERSION = GROUP + "/" + VERSION;

  /** The name of the APIService. */
  public static final String API_SERVICE = VERSION + "." + GROUP;

  static final String ROOT = "/apis/" + GROUP + "/" + VERSION;

  private QueryApi() {}

  /** Returns an object of the group with its kind alone. */
  static ObjectNode object(String kind) {
    return JsonNodeFactory.instance.objectNode().put("apiVersion", API_VERSION).put("kind", kind);
  }
}
