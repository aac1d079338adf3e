"""The room of Gemini CLI, whose chats are read and never written."""
