// Browsers refuse workers on pages that are opened as files. The search then runs in a hidden frame instead.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.waiting = []
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inner = (this.inner = frame.contentWindow)
      inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      const script = inner.document.createElement("script")
      script.src = new URL(url, location.href).href
      script.onload = () => {
        this.ready = true
        this.waiting.splice(0).forEach(data => this.deliver(data))
      }
      inner.document.body.append(script)
    }

    postMessage(data) {
      if (this.ready) this.deliver(data)
      else this.waiting.push(data)
    }

    deliver(data) {
      this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data }))
    }

    terminate() {}
  }
