package io.berth.webhook.template;

/** What comes of rendering a template for a pod. */
public sealed interface Rendering permits Rendered, RenderingRefused {}
