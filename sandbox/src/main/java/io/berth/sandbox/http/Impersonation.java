package io.berth.sandbox.http;

import io.berth.sandbox.auth.Access;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.auth.RbacAuthorizer;
import io.berth.sandbox.failure.Failures;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** User impersonation, as with {@code kubectl --as}. Requires the permission to impersonate. */
final class Impersonation {
  private static final String ACCOUNT = "system:serviceaccount:";
  private static final String AUTHENTICATION = "authentication.k8s.io";
  private static final String EXTRA = "impersonate-extra-";

  private Impersonation() {}

  /**
   * Returns the effective user of a request: the impersonated user if its headers name one,
   * otherwise the caller.
   */
  static Caller of(Request request, Caller caller, RbacAuthorizer authorizer) {
    String user = request.header("Impersonate-User");
    List<String> groups =
        request.exchange().getRequestHeaders().getOrDefault("Impersonate-Group", List.of());
    if (user.isEmpty()) {
      if (groups.isEmpty()) {
        return caller;
      }
      throw Failures.badRequest(
          "requested [{Group    "
              + groups.getFirst()
              + "}] without impersonating a user; set the Impersonate-User header as well");
    }
    List<String> given = new ArrayList<>(groups);
    String[] account =
        user.startsWith(ACCOUNT) ? user.substring(ACCOUNT.length()).split(":", 2) : new String[0];
    if (account.length == 2) {
      authorizer.require(caller, impersonate("serviceaccounts", account[0], account[1]));
      if (groups.isEmpty()) {
        given.add("system:serviceaccounts");
        given.add("system:serviceaccounts:" + account[0]);
      }
    } else {
      authorizer.require(caller, impersonate("users", "", user));
    }
    for (String group : groups) {
      authorizer.require(caller, impersonate("groups", "", group));
    }
    String everyone =
        user.equals("system:anonymous") ? "system:unauthenticated" : "system:authenticated";
    if (!given.contains(everyone)) {
      given.add(everyone);
    }
    return new Caller(
        user,
        uid(request, caller, authorizer),
        given,
        extra(request, caller, authorizer),
        caller.agent());
  }

  private static String uid(Request request, Caller caller, RbacAuthorizer authorizer) {
    String uid = request.header("Impersonate-Uid");
    if (!uid.isEmpty()) {
      authorizer.require(
          caller, new Access("impersonate", AUTHENTICATION, "uids", "", "", uid, ""));
    }
    return uid;
  }

  /** Returns the additional attributes, whose names are percent-encoded in the header's name. */
  private static Map<String, List<String>> extra(
      Request request, Caller caller, RbacAuthorizer authorizer) {
    Map<String, List<String>> extra = new TreeMap<>();
    request
        .exchange()
        .getRequestHeaders()
        .forEach(
            (header, values) -> {
              String name = header.toLowerCase(Locale.ROOT);
              if (name.startsWith(EXTRA)) {
                String key =
                    URLDecoder.decode(
                        name.substring(EXTRA.length()).replace("+", "%2B"), StandardCharsets.UTF_8);
                for (String value : values) {
                  authorizer.require(
                      caller,
                      new Access("impersonate", AUTHENTICATION, "userextras", key, "", value, ""));
                }
                extra.put(key, List.copyOf(values));
              }
            });
    return extra;
  }

  private static Access impersonate(String resource, String namespace, String name) {
    return new Access("impersonate", "", resource, "", namespace, name, "");
  }
}
