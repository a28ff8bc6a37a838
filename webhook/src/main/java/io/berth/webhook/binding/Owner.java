package io.berth.webhook.binding;

/** A controller: the object that makes a pod anew when it is gone. */
public record Owner(String kind, String name) {}
